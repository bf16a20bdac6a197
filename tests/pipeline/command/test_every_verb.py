"""What holds for every verb, told by the registry: spellings, errors, help, and what is loaded."""

from __future__ import annotations

import ast
import os
import pkgutil
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType

import pytest
from typed import parse_settings

from facelet.pipeline import verbs
from facelet.pipeline.cli import main
from facelet.pipeline.command.setting_keys import VerbKey, list_verb_keys
from facelet.pipeline.command.verb_command import load_verb
from facelet.pipeline.verbs import VERBS

HEAVY = ("pandas", "pyarrow", "datasets", "hydra", "joblib", "PIL", "huggingface_hub")


def list_fields(name: str) -> list[VerbKey]:
    return [
        one
        for one in list_verb_keys(load_verb(name).load().Settings)
        if not one.about.takes_dotted_words
    ]


def sample_text(one: VerbKey) -> str:
    """Return a text that a key takes."""
    if one.choices:
        return one.choices[-1]
    if one.kind in (int, float):
        return str(one.about.high if one.about.high is not None else 7 + (one.about.low or 0))
    return {bool: "true", Mapping: '{"a": "b=c"}', tuple: "a,b"}.get(one.kind, "some thing=x")


def needed_words(name: str, but: str = "") -> list[str]:
    """Return what must be said beside a key: keys without a default, and what its group says."""
    own = [one.about.group for one in list_fields(name) if one.name == but]
    said = [group.removeprefix("With ") for group in own if re.fullmatch(r"With \w+=\w+", group)]
    said += [
        f"{one.name}={sample_text(one)}"
        for one in list_fields(name)
        if one.is_required and one.name != but
    ]
    return said


EVERY = pytest.mark.parametrize("name", VERBS)


def test_the_verbs_are_the_modules_of_their_folder():
    found = [
        item.name.rstrip("_").replace("_", "-") for item in pkgutil.iter_modules(verbs.__path__)
    ]
    assert sorted(VERBS) == sorted(found)


@EVERY
def test_three_spellings_mean_the_same(name):
    for one in list_fields(name):
        rest, text = needed_words(name, one.name), sample_text(one)
        ways = [
            [f"{one.name}={text}"],
            [f"--{one.name}={text}"],
            [f"--{one.name}", text],
            [f"--{one.name.replace('_', '-')}", text],
            [f'{one.name}="{text}"'],
        ]
        found = [parse_settings(name, [*rest, *way]) for way in ways]
        found += [parse_settings(name, [*way, *rest]) for way in ways]
        assert all(settings == found[0] for settings in found)
        assert getattr(found[0], one.name) is not None
        if not one.is_required and sample_text(one) != one.describe_default():
            assert (
                found[0] != parse_settings(name, rest) or getattr(found[0], one.name) == one.default
            )


@EVERY
def test_a_flag_may_stand_alone(name):
    for one in list_fields(name):
        if one.kind is bool:
            want = parse_settings(name, [*needed_words(name), f"{one.name}=true"])
            assert parse_settings(name, [*needed_words(name), f"--{one.name}"]) == want
            assert parse_settings(name, [f"--{one.name}", *needed_words(name)]) == want


@EVERY
def test_an_unknown_key_is_told_with_the_nearest(name):
    near = list_fields(name)[0].name
    for way in ([f"{near}x=1"], [f"--{near}x=1"], [f"--{near}x", "1"]):
        with pytest.raises(ValueError, match=rf"unknown key '{near}x' \(did you mean '{near}'\?\)"):
            parse_settings(name, [*needed_words(name), *way])
    with pytest.raises(ValueError, match="unknown key 'zzzzzz'; known: "):
        parse_settings(name, ["zzzzzz=1"])


@EVERY
def test_a_wrong_value_is_told_with_key_value_and_what_is_allowed(name):
    for one in list_fields(name):
        wrong = {bool: "maybe", int: "1.5", float: "x", Mapping: "[]"}.get(one.kind)
        if one.choices:
            wrong = one.choices[0] + "x"
        if wrong is None:
            continue
        with pytest.raises(ValueError, match=rf"^{one.name}[= ]") as told:
            parse_settings(name, [f"--{one.name}", wrong])
        if one.kind is not Mapping:  # which may hold a password
            assert f"{one.name}={wrong} is " in str(told.value)
        if one.choices:
            assert ", ".join(one.choices) in str(told.value) and "did you mean" in str(told.value)
        if one.kind is int and one.about.low is not None:
            with pytest.raises(ValueError, match=f"{one.name}=.* out of range.* {one.about.low}"):
                parse_settings(name, [f"{one.name}={one.about.low - 1}"])


@EVERY
def test_a_key_is_set_once_however_it_is_spelled(name):
    for one in list_fields(name):
        text = sample_text(one)
        with pytest.raises(ValueError, match=f"{one.name} is set twice; set it once"):
            parse_settings(name, [f"--{one.name}", text, f"{one.name}={text}"])


@EVERY
def test_what_is_needed_is_asked_for(name):
    for one in list_fields(name):
        if one.is_required:
            with pytest.raises(
                ValueError, match=rf"{one.name}=\.\.\. is required: .*{name} --help"
            ):
                parse_settings(name, needed_words(name, one.name))


@EVERY
def test_an_option_without_its_value_is_told(name, capsys):
    option = next(one.name for one in list_fields(name) if one.kind is not bool)
    assert main([name, f"--{option}"]) == 2
    assert f"facelet {name}: Option '--{option}' requires an argument" in capsys.readouterr().err


@EVERY
def test_help_teaches_every_key_once_with_its_default(name, capsys):
    assert main([name, "--help"]) == 0
    page = capsys.readouterr().out
    lines = page.splitlines()
    assert lines[0].startswith(f"facelet {name}") and "Example" in page
    assert max(map(len, lines)) <= 100
    told = " ".join(page.split())
    for one in list_fields(name):
        default = "... (required)" if one.is_required else one.describe_default() or "..."
        assert lines.count(f"  {one.name}={default}") == 1
        assert " ".join(f"{one.about.doc} Allowed: {one.describe_allowed()}".split()) in told


@EVERY
def test_no_verb_describes_a_key_by_hand(name):
    """The docstring has no list of keys, and nothing but the fields says what is read."""
    source = Path(str(load_verb(name).load().__file__)).read_text(encoding="utf-8")
    text = ast.get_docstring(ast.parse(source)) or ""
    for one in list_verb_keys(load_verb(name).load().Settings):
        assert not re.search(rf"^\s*-*{one.name}=", text, re.MULTILINE)
    assert not re.search(r"argparse|sys\.argv|\.partition\(\"=\"\)|split_word", source)
    assert load_verb(name).short_help and len(str(load_verb(name).short_help)) < 80


def test_the_list_of_verbs_has_their_summaries(capsys):
    assert main([]) == 2
    shown = capsys.readouterr().out
    for name in VERBS:
        assert re.search(rf"^  {name} +{re.escape(str(load_verb(name).short_help))}$", shown, re.M)


def loaded_packages(program: str) -> list[str]:
    """Return which heavy packages a program has loaded at its end."""
    code = f"import sys\n{program}\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ast.literal_eval(done.stdout.splitlines()[-1])


def test_help_and_completion_load_no_heavy_package():
    program = (
        "import os\n"
        "from facelet.pipeline.cli import main\n"
        "from facelet.pipeline.verbs import VERBS\n"
        "main(['--help'])\n"
        "for verb in VERBS:\n    main([verb, '--help'])\n"
        "os.environ['_FACELET_COMPLETE'] = 'bash_complete'\n"
        "for verb in VERBS:\n"
        "    os.environ |= {'COMP_WORDS': f'facelet {verb} --', 'COMP_CWORD': '2'}\n"
        "    main([])\n"
    )
    assert loaded_packages(program) == []
    assert loaded_packages("import pyarrow") == ["pyarrow"]


def test_the_list_of_verbs_loads_no_verb():
    code = (
        "import sys; from facelet.pipeline.cli import main; main(['--help'])\n"
        "print([m for m in sys.modules if m.startswith('facelet.pipeline.verbs.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


SECONDS = 10
REFUSALS = ("pipe, device or socket", "is sparse")


class TooLongError(BaseException):
    """A verb did not end."""


@pytest.fixture(autouse=True)
def _alarm() -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run_refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    signal.alarm(SECONDS)
    code = main(words)
    signal.alarm(0)
    said = capsys.readouterr()
    assert code in (1, 2), (words, said)
    return said.out + said.err


@pytest.fixture(params=["pipe", "device", "sparse"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return a special file of a kind."""
    if request.param == "device":
        return Path("/dev/zero")
    path = tmp_path / "special.jsonl"
    if request.param == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 50 << 30)
    return path


@EVERY
def test_every_path_of_every_verb_refuses_special_files(
    name: str, special: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for one in list_fields(name):
        if one.kind is Path:
            words = [name, *needed_words(name, one.name), f"{one.name}={special}"]
            said = run_refused(words, capsys)
            assert any(text in said for text in REFUSALS), (one.name, said)


@EVERY
def test_lists_of_paths_end_at_special_files(
    name: str, special: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for one in list_fields(name):
        if one.about.paths and one.kind is not Path:
            run_refused([name, *needed_words(name, one.name), f"{one.name}={special}"], capsys)


def import_words(source: Path, out: Path) -> list[str]:
    return ["import", f"dir={source}", "format=mtr_bench", f"out={out}"]


def test_import_refuses_special_files_inside_a_folder(
    special: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "items" / "Maze_Navigation"
    folder.mkdir(parents=True)
    (folder / "level_1.jsonl").symlink_to(special)
    said = run_refused(import_words(folder.parent, tmp_path / "out"), capsys)
    assert any(text in said for text in REFUSALS), said
