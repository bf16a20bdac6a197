"""An environment on openenv-core that says what it was told; run by a Python that has it.

python -m uvicorn echo_environment:app --workers 2
"""

from openenv.core.env_server import Action, Environment, Observation, State, create_app


class Said(Action):
    message: str


class Heard(Observation):
    message: str = ""


class Echo(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_):
        return Heard(message="ready")

    def step(self, action, timeout_s=None, **_):
        return Heard(message=action.message, reward=1.0)

    @property
    def state(self):
        return State()


app = create_app(Echo, Said, Heard, env_name="echo", max_concurrent_envs=1024)
