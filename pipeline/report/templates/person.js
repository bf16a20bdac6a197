// The page for people. Texts are only ever set as text, never as markup.
"use strict";
(() => {
  const el = (id) => document.getElementById(id);
  const make = (name, className, text) => {
    const found = document.createElement(name);
    if (className) found.className = className;
    if (text !== undefined) found.textContent = text;
    return found;
  };
  const person = name();
  let begun = 0;
  let hidden = 0;
  let keys = null;
  let pick = null;

  function name() {
    const said = new URLSearchParams(location.search);
    const told = said.get("PROLIFIC_PID") || said.get("person");
    if (told) return told;
    const own = "p" + [...crypto.getRandomValues(new Uint8Array(6))].map((x) => x.toString(16).padStart(2, "0")).join("");
    said.set("person", own);
    history.replaceState(null, "", "?" + said.toString());
    return own;
  }

  async function ask(path, body) {
    el("trouble").textContent = "";
    try {
      const how = body ? { method: "POST", headers: { "X-Facelet": "1" }, body: JSON.stringify(body) } : {};
      const found = await fetch(path, how);
      const told = await found.json();
      if (told.error) throw new Error(told.error);
      return told;
    } catch (error) {
      el("trouble").textContent = "That did not work (" + error.message + "). Nothing was lost; try again.";
      return null;
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hidden -= performance.now();
    else hidden += performance.now();
  });
  document.addEventListener("keydown", (event) => {
    if (!keys || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.matches("textarea, input, select")) return;
    keys(event);
  });

  const button = (text, act) => {
    const one = make("button", "", text);
    one.type = "button";
    one.addEventListener("click", act);
    return one;
  };

  function show(view) {
    if (!view) return;
    keys = null;
    const box = el("place");
    box.replaceChildren();
    el("progress").textContent = view.phase === "item" || view.phase === "check" || view.phase === "break"
      ? view.done + " of " + view.total + " done" : "";
    if (view.feedback) { feedback(box, view); return; }
    if (view.phase === "consent") consent(box, view);
    else if (view.phase === "end") end(box, view);
    else if (view.phase === "break") pause(box, view);
    else item(box, view);
    box.focus({ preventScroll: true });
    scrollTo(0, 0);
    begun = performance.now();
    hidden = 0;
  }

  const told = (view, text) => ask("reply", { person, token: view.token, text, seconds: Math.max(0, (performance.now() - begun - Math.max(0, hidden)) / 1000) });

  function consent(box, view) {
    box.append(make("h2", "", "Before you begin"));
    view.purpose.split("\n").forEach((line) => box.append(make("p", "", line)));
    box.append(make("p", "", "First come practice items, which tell you what is right; then " + view.total + " items, which do not. You may close the page and come back by the same address. You may stop at any time."));
    box.append(button("I agree, begin", async () => show(await ask("agree", { person }))));
  }

  function end(box, view) {
    box.append(make("h2", "", "Thank you"), make("p", "", "All items are answered. Your completion code:"));
    box.append(make("p", "best", view.code));
  }

  function pause(box, view) {
    box.append(make("h2", "", "A break"), make("p", "", "Rest as long as you like. No time is taken."));
    box.append(button("Go on", async () => show(await told(view, ""))));
  }

  function feedback(box, view) {
    const right = view.feedback.status === "correct";
    box.append(make("h2", "", right ? "Right" : "Not right"));
    const words = { unparsed: "Your reply could not be read: it must have the form that is asked for.", illegal: "That was not allowed.", wrong: "The answer is another." };
    if (!right) box.append(make("p", "", words[view.feedback.status] || "The answer is another."));
    if (view.feedback.gold) box.append(make("p", "soft", "The right answer:"), make("pre", "", view.feedback.gold));
    const rest = { ...view };
    delete rest.feedback;
    box.append(button("Go on", () => show(rest)));
    box.focus({ preventScroll: true });
  }

  function item(box, view) {
    const title = { practice: "Practice", check: "A check", item: "Item " + (view.done + 1) }[view.phase];
    box.append(make("h2", "", title + (view.turn > 1 ? ", turn " + view.turn : "")));
    view.chat.forEach((message, place) => {
      const part = make("section", "said " + message.role);
      const label = { system: "Instructions", user: "Question", assistant: "You" }[message.role] || message.role;
      part.append(make("h3", "", label));
      message.parts.forEach((one) => {
        if (one.text !== undefined) part.append(make("pre", "", one.text));
        else {
          const picture = make("img");
          picture.src = "picture/" + one.picture + ".png";
          picture.alt = one.regions ? "Picture of the options" : "Picture of the question";
          part.append(one.regions ? pointed(picture, one.regions) : picture);
        }
      });
      box.append(part);
    });
    answer(box, view);
    if (view.turn > 1) requestAnimationFrame(() => box.lastElementChild.scrollIntoView({ block: "end" }));
  }

  // A picture of the options: a click on one is a click on its button below.
  function pointed(picture, regions) {
    const frame = make("span", "pointed");
    frame.append(picture);
    for (const [value, [left, top, width, height]] of Object.entries(regions)) {
      const one = button("", () => pick(value));
      one.dataset.value = value;
      one.setAttribute("aria-label", "Option " + value + " in the picture");
      one.setAttribute("aria-pressed", "false");
      Object.assign(one.style, { left: 100 * left + "%", top: 100 * top + "%", width: 100 * width + "%", height: 100 * height + "%" });
      frame.append(one);
    }
    return frame;
  }

  function answer(box, view) {
    const widget = view.widget;
    const form = make("section", "card answer");
    form.append(make("h3", "", "Your answer"));
    const typed = make("textarea");
    typed.id = "typed";
    typed.rows = widget.kind === "text" ? 5 : 3;
    const send = button("Send", async () => {
      if (!typed.value.trim() || send.disabled) return;
      send.disabled = true;
      const next = await told(view, typed.value);
      if (next) show(next); else send.disabled = false;
    });
    send.disabled = true;
    const put = (text) => { typed.value = text; send.disabled = !text.trim(); };
    typed.addEventListener("input", () => { send.disabled = !typed.value.trim(); });
    typed.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send.click(); });
    const kinds = { choice, grid, paint, moves };
    if (kinds[widget.kind]) form.append(kinds[widget.kind](widget, put, send));
    const label = make("label", "", widget.kind === "text" ? "Type it here (Ctrl+Enter sends)" : "This is sent; you may change it");
    label.htmlFor = "typed";
    form.append(label, typed, send);
    box.append(form);
  }

  const press = (buttons, chosen) => buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === chosen)));

  function choice(widget, put, send) {
    const box = make("div", "choices");
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Options");
    pick = (value) => {
      buttons.forEach((one, place) => one.setAttribute("aria-pressed", String(widget.options[place][0] === value)));
      document.querySelectorAll(".pointed button").forEach((one) => one.setAttribute("aria-pressed", String(one.dataset.value === value)));
      put(widget.form.replace("{}", value));
    };
    const buttons = widget.options.map(([value, text]) => {
      const one = button(text, () => pick(value));
      one.setAttribute("aria-pressed", "false");
      box.append(one);
      return one;
    });
    keys = (event) => {
      const at = widget.options.findIndex(([value, text]) => value.toLowerCase() === event.key.toLowerCase() || text[0].toLowerCase() === event.key.toLowerCase());
      if (at >= 0) { buttons[at].click(); buttons[at].focus(); }
      if (event.key === "Enter" && !event.target.matches("button")) send.click();
    };
    return box;
  }

  function grid(widget, put) {
    const said = new Map();
    const box = make("div");
    const update = () => put(said.size === widget.keys.length ? widget.keys.map((key) => widget.form.replaceAll("{key}", key).replace("{value}", said.get(key))).join("\n") : "");
    widget.keys.forEach((key) => {
      const line = make("div", "choices");
      line.setAttribute("role", "group");
      line.setAttribute("aria-label", key);
      line.append(make("strong", "", key));
      const buttons = widget.options.map(([value, text]) => {
        const one = button(text, () => { press(buttons, one); said.set(key, value); update(); });
        one.setAttribute("aria-pressed", "false");
        line.append(one);
        return one;
      });
      box.append(line);
    });
    return box;
  }

  function paint(widget, put) {
    const box = make("div");
    const [rows, columns] = widget.size;
    const cells = Array(rows * columns).fill(null);
    let colour = null;
    const palette = make("div", "choices");
    palette.setAttribute("role", "group");
    palette.setAttribute("aria-label", "Colors");
    const brushes = widget.options.map(([value, shade]) => {
      const one = button(value, () => { press(brushes, one); colour = [value, shade]; });
      const dot = make("span", "dot");
      dot.style.background = shade;
      one.prepend(dot);
      one.setAttribute("aria-pressed", "false");
      palette.append(one);
      return one;
    });
    const table = make("div", "stickers");
    table.style.gridTemplateColumns = "repeat(" + columns + ", 3.6rem)";
    table.setAttribute("role", "group");
    table.setAttribute("aria-label", "Stickers");
    cells.forEach((_, place) => {
      const where = "Row " + (Math.floor(place / columns) + 1) + ", column " + (place % columns + 1);
      const one = button("", () => {
        if (!colour) return;
        cells[place] = colour[0];
        one.style.background = colour[1];
        one.setAttribute("aria-label", where + ": " + colour[0]);
        let at = 0;
        put(cells.every(Boolean) ? widget.form.replaceAll("{}", () => cells[at++]) : "");
      });
      one.setAttribute("aria-label", where + ": empty");
      table.append(one);
    });
    box.append(make("p", "soft", "Choose a color, then the stickers that have it."), palette, table);
    return box;
  }

  function moves(widget, put) {
    const box = make("div");
    const said = [];
    const shown = make("p", "soft", "Nothing chosen yet");
    shown.setAttribute("aria-live", "polite");
    const update = () => {
      shown.textContent = said.length ? said.join(" ") : "Nothing chosen yet";
      put(said.length ? widget.form.replace("{}", said.join(widget.between)) : "");
    };
    const line = make("div", "choices");
    widget.options.forEach(([value, text]) => line.append(button(text, () => { said.push(value); update(); })));
    line.append(button("Take back", () => { said.pop(); update(); }));
    box.append(line, shown);
    return box;
  }

  ask("state?person=" + encodeURIComponent(person)).then(show);
})();
