// The instructions of a list: label, source language and prompt of each, with the remaining number of characters.

const PAUSE = 350;

function counter(most) {
  const node = make("span", "svc-counter");
  node.id = unique("counter");
  return {
    node,
    tell(text) {
      const length = [...text].length; // characters, as the service counts them
      const over = length > most;
      node.classList.toggle("svc-over", over);
      node.textContent = over ? `${count(length - most)} too many: ${count(length)} of ${count(most)}` : `${count(length)} of ${count(most)}`;
    },
  };
}

// A field that sends its text after a short pause, and never replaces text being typed with an answer: an answer that
// arrives while a later text *waits* for its own is not shown.
function writable(node, told, waits) {
  let later = 0;
  let sent = "";
  const tell = () => {
    clearTimeout(later);
    later = 0;
    if (node.value === sent) return;
    sent = node.value;
    told(sent);
  };
  node.addEventListener("input", (event) => {
    clearTimeout(later);
    if (!event.isComposing) later = setTimeout(tell, PAUSE);
  });
  node.addEventListener("compositionend", () => (later = setTimeout(tell, PAUSE)));
  node.addEventListener("change", tell);
  node.addEventListener("blur", tell);
  return {
    tell,
    set(text) {
      if (later || waits() || (focused() === node && node.value !== sent)) return;
      sent = text;
      if (node.value !== text) node.value = text;
    },
  };
}

function fieldNode(title, node, most) {
  const field = make("label", "svc-card-field");
  const head = make("span", "svc-card-head");
  head.append(make("span", "svc-field-name", title));
  field.append(head, node);
  if (!most) return { field };
  const left = counter(most);
  head.append(left.node);
  node.setAttribute("aria-describedby", left.node.id);
  node.setAttribute("aria-label", title);
  node.addEventListener("input", () => left.tell(node.value));
  return { field, left };
}

function languageNode(languages, own) {
  const node = make("select");
  const usual = make("option", "", `${own}, as the list`);
  usual.value = "";
  node.append(usual, ...languages.map(([name, code]) => Object.assign(make("option", "", name), { value: code })));
  return node;
}

function cardNode(number, state, model) {
  const send = (message) => model.send(message);
  const node = make("div", "svc-card");
  const [label, prompt, language] = [make("input"), make("textarea"), languageNode(state.languages, state.own)];
  const write = (field) => (text) => send({ kind: "write", number, field, text });
  const waits = (field) => () => model.unanswered.some((sent) => sent.kind === "write" && sent.number === number && sent.field === field);
  const [texts, prompts] = [writable(label, write("label"), waits("label")), writable(prompt, write("prompt"), waits("prompt"))];
  const top = fieldNode("Label", label, state.most.label);
  const body = fieldNode("Prompt", prompt, state.most.prompt);
  const source = fieldNode("Source language", language);
  const back = button("Revert", () => {
    label.focus(); // the button disappears with the change
    send({ kind: "reset", number });
  });
  const drop = button("Delete", () => send({ kind: "drop", number }));
  const said = make("div", "svc-card-said");
  const line = make("div", "svc-card-line");
  label.type = "text";
  prompt.rows = 3;
  label.dir = prompt.dir = "auto";
  language.setAttribute("aria-label", "Source language");
  language.title = "The language that the instruction is written in";
  language.addEventListener("change", () => write("source_language")(language.value));
  source.field.classList.add("svc-card-language");
  line.append(source.field, back, drop);
  node.append(top.field, body.field, said, line);
  node.setAttribute("role", "group");
  node.addEventListener("focusout", ({ relatedTarget }) => {
    if (relatedTarget && node.contains(relatedTarget)) return;
    node.classList.add("svc-left"); // missing text is an error from now on, even in a new card
  });
  return { node, label, prompt, language, texts, prompts, top, body, back, drop, said, number };
}

function fill(card, place, given, state) {
  card.texts.set(given.label);
  card.prompts.set(given.prompt);
  card.top.left.tell(card.label.value);
  card.body.left.tell(card.prompt.value);
  const code = given.source_language || "";
  if (![...card.language.options].some((option) => option.value === code)) card.language.append(make("option", "", code));
  card.language.value = code;
  card.node.classList.toggle("svc-changed", given.state === "changed");
  card.node.classList.toggle("svc-new", given.state === "new");
  card.node.setAttribute("aria-label", `Instruction ${place}${given.state ? `, ${given.state}` : ""}`);
  card.drop.setAttribute("aria-label", `Delete instruction ${place}`);
  card.back.setAttribute("aria-label", `Revert: instruction ${place}`);
  card.back.hidden = given.state !== "changed";
  for (const field of [card.label, card.prompt, card.language, card.back, card.drop]) field.disabled = Boolean(state.busy);
  const found = state.findings.get(given.number) || [];
  card.node.classList.toggle("svc-left", card.node.classList.contains("svc-left") || given.state !== "new");
  for (const [name, field] of [["label", card.label], ["prompt", card.prompt]]) {
    const wrong = found.some(([severity, , text]) => severity === "error" && text.startsWith(`The ${name} `));
    if (wrong) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
  }
  card.said.replaceChildren(...found.map(([severity, code, text]) => make("div", `svc-said svc-said-${severity} svc-found-${code}`, `${severity === "error" ? "Error: " : ""}${text}`)));
}

function render({ model, el }) {
  const root = make("div", "svc-instructions");
  const tools = make("div", "svc-board-tools");
  const search = make("input", "svc-board-search");
  const total = make("span", "svc-count svc-total");
  const list = make("div", "svc-cards");
  const empty = make("div", "svc-empty");
  const state = { items: [], languages: [], own: "", most: { label: 100, prompt: 300, all: 200 }, findings: new Map(), busy: false, open: false };
  let cards = new Map();
  let wanted = 0; // when an instruction was requested
  const send = (message) => model.send(message);
  const add = button("Add an instruction", () => {
    if (Date.now() - wanted < 2000) return; // it arrives, and with it the field to write in
    wanted = Date.now();
    send({ kind: "add" });
  }, "svc-add");
  search.type = "search";
  search.placeholder = "Search instructions";
  search.setAttribute("aria-label", "Search instructions");
  total.setAttribute("role", "status");
  tools.append(search, total, add);
  root.append(tools, list, empty);

  function filter() {
    const words = plain(search.value).split(/\s+/).filter(Boolean);
    for (const card of cards.values()) {
      const text = plain(`${card.label.value} ${card.prompt.value}`);
      card.node.hidden = !words.every((word) => text.includes(word)) && !card.node.contains(focused());
    }
  }
  function tell() {
    const [number, most] = [state.items.length, state.most.all];
    total.textContent = !state.open ? "" : number > most ? `${plural(number, "instruction")}: ${count(number - most)} too many, the limit is ${count(most)}` : `${count(number)} of ${count(most)} instructions`;
    total.classList.toggle("svc-over", number > most);
    empty.textContent = !state.open ? "Choose a list above, or create one." : number ? "" : "No instructions yet. An instruction says in plain words how to translate, for example: use short sentences.";
    add.disabled = !state.open || state.busy || number >= most;
    search.hidden = number < 4;
  }
  function goTo(number, field) {
    const card = cards.get(number);
    if (!card) return;
    card.node.hidden = false;
    card.node.classList.add("svc-left");
    card[field].focus();
  }
  function refresh() {
    const kept = new Map();
    for (const [place, given] of state.items.entries()) {
      const card = cards.get(given.number) || cardNode(given.number, state, model);
      kept.set(given.number, card);
      fill(card, place + 1, given, state);
      if (list.children[place] !== card.node) list.insertBefore(card.node, list.children[place] || null);
    }
    const fresh = [...kept.values()].filter((card) => !cards.has(card.number));
    const gone = [...cards.values()].filter((card) => !kept.has(card.number));
    const left = gone.some((card) => card.node.contains(focused()));
    for (const card of gone) card.node.remove();
    cards = kept;
    filter();
    tell();
    if (left) add.focus(); // otherwise the next letter would be a shortcut of the notebook
    if (wanted && fresh.length) fresh.at(-1).label.focus();
    if (fresh.length) wanted = 0;
  }
  function shown(message) {
    if (message.language !== undefined && message.language !== state.own) {
      for (const card of cards.values()) card.node.remove();
      cards = new Map();
      state.own = message.language;
    }
    for (const name of ["items", "languages", "most", "busy", "open"]) if (message[name] !== undefined) state[name] = message[name];
    if (message.filter !== undefined) search.value = message.filter;
    if (message.findings) state.findings = new Map(message.findings);
    refresh();
    if (message.see) scrollTo(list, (cards.get(message.see) || { node: list }).node);
    if (message.go) setTimeout(() => goTo(...message.go)); // its tab may not be shown yet
  }
  search.addEventListener("input", filter);
  const end = listen({ model, el }, root, shown);
  model.on("done", refresh);
  return () => {
    model.off("done", refresh);
    for (const card of cards.values()) {
      card.texts.tell();
      card.prompts.tell();
    }
    end();
  };
}

export default { render };
