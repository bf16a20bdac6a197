// The replies browser. Texts of models and datasets are only ever set as text, never as markup.
"use strict";
(() => {
  const PAGE = 50;
  const el = (id) => document.getElementById(id);
  const make = (name, className, text) => {
    const found = document.createElement(name);
    if (className) found.className = className;
    if (text !== undefined) found.textContent = text;
    return found;
  };
  const pieces = new Map();
  let index = null;
  let hits = [];
  let page = 0;
  let chosen = -1;

  // Data comes as scripts that call these two: a page opened from disk may load nothing else.
  window.facelet = {
    index(found) { index = found; begin(); },
    piece(name, found) { const wait = pieces.get(name); if (wait) wait.take(found); },
  };

  function piece(name) {
    if (!pieces.has(name)) {
      const one = {};
      one.promise = new Promise((take, fail) => {
        one.take = take;
        const script = make("script");
        script.src = "data/" + name + ".js";
        script.onerror = () => { pieces.delete(name); fail(new Error("data/" + name + ".js is not there")); };
        document.head.append(script);
      });
      pieces.set(name, one);
      if (pieces.size > 24) pieces.delete(pieces.keys().next().value);
    }
    return pieces.get(name).promise;
  }

  function options(id, names, all) {
    const box = el(id);
    box.replaceChildren();
    const add = (value, text) => { const one = make("option", "", text); one.value = value; box.append(one); };
    if (all !== undefined) add("", all);
    names.forEach(([value, text]) => add(value, text));
  }

  const FIELDS = ["config", "level", "model", "status", "right", "wrong", "find"];

  function begin() {
    options("config", index.configs.map((one, k) => [one.name, one.name]), "all");
    const models = index.models.map((name, k) => [String(k), name]);
    options("model", models, "all");
    options("right", models, "anybody");
    options("wrong", models, "anybody");
    options("status", index.statuses.map((name, k) => [String(k), name]), "all");
    fromAddress();
    FIELDS.forEach((id) => el(id).addEventListener(id === "find" ? "input" : "change", () => search(true)));
    el("filters").addEventListener("submit", (event) => event.preventDefault());
    el("back").addEventListener("click", () => turn(-1));
    el("next").addEventListener("click", () => turn(1));
    window.addEventListener("hashchange", () => { if (location.hash !== written) fromAddress(); });
    document.addEventListener("keydown", (event) => {
      if (event.target.matches("input, select, textarea") || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "j") step(1);
      if (event.key === "k") step(-1);
    });
  }

  let written = null;

  function fromAddress() {
    const said = new URLSearchParams(location.hash.slice(1));
    const named = (id) => { const k = index.models.indexOf(said.get(id)); return k < 0 ? "" : String(k); };
    const id = said.get("id") || "";
    let config = said.get("config") || "";
    if (id) config = id.split("/")[0];
    el("config").value = index.configs.some((one) => one.name === config) ? config : "";
    levels();
    el("level").value = said.get("level") || "";
    el("model").value = named("model");
    el("right").value = named("right");
    el("wrong").value = named("wrong");
    const status = index.statuses.indexOf(said.get("status"));
    el("status").value = status < 0 ? (id || said.size ? "" : first()) : String(status);
    el("find").value = said.get("find") || "";
    search(false, id, said.get("sample"));
  }

  function first() {
    const wrong = index.statuses.indexOf("wrong");
    return wrong < 0 ? "" : String(wrong);
  }

  function levels() {
    const name = el("config").value;
    const found = new Set();
    index.configs.forEach((one) => { if (!name || one.name === name) one.levels.forEach((level) => found.add(level)); });
    const kept = el("level").value;
    options("level", [...found].sort((a, b) => a - b).map((level) => [String(level), String(level)]), "all");
    if (found.has(Number(kept))) el("level").value = kept;
  }

  function search(moved, id, sample) {
    if (moved) levels();
    const want = Object.fromEntries(FIELDS.map((name) => [name, el(name).value]));
    const correct = index.statuses.indexOf("correct");
    const words = want.find.trim().toLowerCase();
    hits = [];
    index.configs.forEach((one, config) => {
      if (want.config && one.name !== want.config) return;
      const { row, model, status } = one.samples;
      let judged = null;
      if (want.right !== "" || want.wrong !== "") {
        judged = new Map();
        for (let k = 0; k < row.length; k++) judged.set(row[k] * 64 + model[k], status[k] === correct);
      }
      for (let k = 0; k < row.length; k++) {
        const level = one.levels[row[k]];
        if (want.level !== "" && String(level) !== want.level) continue;
        if (want.model !== "" && model[k] !== Number(want.model)) continue;
        if (want.status !== "" && status[k] !== Number(want.status)) continue;
        if (words && !(one.name + "/" + one.rows[row[k]]).includes(words)) continue;
        if (judged) {
          if (want.right !== "" && judged.get(row[k] * 64 + Number(want.right)) !== true) continue;
          if (want.wrong !== "" && judged.get(row[k] * 64 + Number(want.wrong)) !== false) continue;
        }
        hits.push([config, k]);
      }
    });
    let at = 0;
    if (id) {
      const model = el("model").value;
      at = hits.findIndex(([config, k]) => {
        const one = index.configs[config];
        return one.name + "/" + one.rows[one.samples.row[k]] === id
          && (model === "" || one.samples.model[k] === Number(model))
          && (!sample || String(one.samples.sample[k]) === sample);
      });
    }
    el("count").textContent = hits.length.toLocaleString("en") + (hits.length === 1 ? " reply" : " replies");
    page = Math.max(0, Math.floor(at / PAGE));
    chosen = -1;
    list();
    if (hits.length && at >= 0) show(at, false);
    else { el("item").replaceChildren(make("p", "soft", hits.length ? "There is no such reply." : "No reply is like that.")); }
    if (moved) address();
  }

  function list() {
    const box = el("hits");
    box.replaceChildren();
    hits.slice(page * PAGE, (page + 1) * PAGE).forEach(([config, k], place) => {
      const one = index.configs[config];
      const button = make("button");
      button.type = "button";
      const verdict = index.statuses[one.samples.status[k]];
      button.append(make("span", "verdict " + verdict, verdict), " ");
      button.append((el("config").value ? "" : one.name + "/") + one.rows[one.samples.row[k]] + " ");
      button.append(make("span", "soft", index.models[one.samples.model[k]]));
      const at = page * PAGE + place;
      button.addEventListener("click", () => show(at, true));
      const entry = make("li");
      entry.append(button);
      box.append(entry);
    });
    const pages = Math.max(1, Math.ceil(hits.length / PAGE));
    el("page").textContent = "page " + (page + 1) + " of " + pages;
    el("back").disabled = page === 0;
    el("next").disabled = page + 1 >= pages;
    mark();
  }

  function mark() {
    [...el("hits").querySelectorAll("button")].forEach((button, place) => {
      if (page * PAGE + place === chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    });
  }

  function turn(by) { page += by; list(); }

  function step(by) {
    const at = chosen + by;
    if (at < 0 || at >= hits.length) return;
    if (Math.floor(at / PAGE) !== page) { page = Math.floor(at / PAGE); list(); }
    show(at, true);
  }

  function address() {
    const said = new URLSearchParams();
    const put = (name, value) => { if (value !== "" && value !== undefined) said.set(name, value); };
    ["config", "level", "find"].forEach((name) => put(name, el(name).value));
    ["model", "right", "wrong"].forEach((name) => { const value = el(name).value; if (value !== "") put(name, index.models[Number(value)]); });
    if (el("status").value !== "") put("status", index.statuses[Number(el("status").value)]);
    written = "#" + said.toString();
    history.replaceState(null, "", written);
  }

  function linkOf(one, k) {
    const said = new URLSearchParams();
    said.set("id", one.name + "/" + one.rows[one.samples.row[k]]);
    said.set("model", index.models[one.samples.model[k]]);
    if (one.samples.sample[k] > 0) said.set("sample", String(one.samples.sample[k]));
    return "#" + said.toString();
  }

  async function show(at, moved) {
    chosen = at;
    mark();
    const [config, k] = hits[at];
    const one = index.configs[config];
    const row = one.samples.row[k];
    const name = one.file + "-" + Math.floor(row / one.piece);
    const box = el("item");
    let found;
    try { found = await piece(name); } catch (error) { box.replaceChildren(make("p", "", error.message)); return; }
    if (chosen !== at) return;
    if (moved) { written = linkOf(one, k); history.replaceState(null, "", written); }
    const about = found.rows[row % one.piece];
    const own = about.said.find((said) => said.m === one.samples.model[k] && said.s === one.samples.sample[k]);
    box.replaceChildren();
    const heading = make("h2", "", one.name + "/" + one.rows[row]);
    box.append(heading);
    const link = make("a", "", "Link to this reply");
    link.href = linkOf(one, k);
    const verdict = index.statuses[one.samples.status[k]];
    const line = make("p");
    line.append(make("span", "verdict " + verdict, verdict), " · ", index.models[one.samples.model[k]], " · ", link);
    box.append(line);
    const facts = make("dl", "facts");
    const fact = (title, text) => { if (text) facts.append(make("dt", "", title), make("dd", "", text)); };
    fact("right answer", about.gold);
    fact("read in the reply", own ? own.read : "");
    fact("level", String(one.levels[row]));
    fact("format kept", own ? (own.strict ? "yes" : "no") : "");
    if (own) Object.entries(own.metrics).forEach(([title, value]) => fact(title.replaceAll("_", " "), String(value)));
    box.append(facts);
    if (own && own.chat) chat(box, own.chat);
    else {
      chat(box, about.prompt);
      if (own) own.replies.forEach((text, turn) => said(box, "assistant", own.replies.length > 1 ? "reply " + (turn + 1) : "reply", [text]));
      if (own && own.note) box.append(make("p", "soft", own.note));
    }
    const others = about.said.filter((other) => other !== own);
    if (others.length) {
      box.append(make("h3", "", "Others on this row"));
      const names = make("ul");
      others.forEach((other) => {
        const entry = make("li");
        const place = one.samples.row.findIndex((r, j) => r === row && one.samples.model[j] === other.m && one.samples.sample[j] === other.s);
        if (place < 0) return;
        const to = make("a", "", index.models[other.m]);
        to.href = linkOf(one, place);
        entry.append(to, ": " + index.statuses[one.samples.status[place]] + (other.read ? ", read " + other.read : ""));
        names.append(entry);
      });
      box.append(names);
    }
  }

  function chat(box, messages) { messages.forEach((one) => said(box, one[0], one[0], one[1])); }

  function said(box, role, title, parts) {
    const part = make("section", "said " + role);
    part.append(make("h4", "", title));
    parts.forEach((one) => {
      if (typeof one === "string") part.append(make("pre", "", one));
      else {
        const picture = make("img");
        picture.src = "pictures/" + one.p.slice(0, 2) + "/" + one.p + ".png";
        picture.alt = "Picture of the prompt";
        picture.loading = "lazy";
        part.append(picture);
      }
    });
    box.append(part);
  }
})();
