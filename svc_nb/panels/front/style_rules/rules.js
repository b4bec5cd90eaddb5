// The rules of a list by category, each with its options to choose from, and a search over labels and names.

const keyOf = (category, rule) => JSON.stringify([category, rule]);
const VIEWS = [["all", "All"], ["set", "Set"], ["changed", "Changed"]];

function exampleNode(option, radio, language) {
  const example = make("span", "svc-option-example", option.example);
  example.id = unique("example");
  example.lang = language;
  example.dir = "auto";
  radio.setAttribute("aria-label", option.label);
  radio.setAttribute("aria-describedby", example.id);
  return example;
}

function optionNode(group, option, chosen, language) {
  const label = make("label", "svc-option");
  const radio = make("input");
  radio.type = "radio";
  radio.name = group;
  radio.addEventListener("change", () => radio.checked && chosen(option.id));
  label.title = option.id === null ? "The service decides" : option.id;
  const text = make("span", "svc-option-label", option.label);
  if (option.example) text.append(exampleNode(option, radio, language));
  if (option.odd) text.append(make("span", "svc-odd", option.odd));
  label.append(radio, text);
  return { ...option, name: option.label, label, radio };
}

function ruleNode(category, rule, send) {
  const node = make("div", "svc-rule");
  const name = make("div", "svc-rule-name", rule.label);
  const options = make("div", "svc-rule-options");
  const note = make("div", "svc-rule-note");
  const said = make("div", "svc-rule-said");
  const chosen = (option) => send({ kind: "set", category: category.id, rule: rule.id, option });
  const unset = { id: null, label: "Not set", find: "" };
  const choices = [unset, ...rule.options].map((option) => optionNode(node.dataset.group || (node.dataset.group = unique("rule")), option, chosen, category.language));
  name.id = unique("name");
  name.title = rule.id;
  if (rule.odd) name.append(make("span", "svc-odd", rule.odd));
  node.setAttribute("role", "radiogroup");
  node.setAttribute("aria-labelledby", name.id);
  options.append(...choices.map((choice) => choice.label));
  const side = make("div", "svc-rule-side");
  side.append(options, said, note);
  node.append(name, side);
  return { node, note, said, choices, chosen, key: keyOf(category.id, rule.id) };
}

// The button disappears with the change, and the chosen option gets the focus.
function takeBack(rule, before, was) {
  if (before) before.radio.focus();
  rule.chosen(was);
}

function mark(rule, state) {
  const [now, was] = [state.rules.get(rule.key) ?? null, state.base.get(rule.key) ?? null];
  rule.set = now !== null;
  rule.changed = now !== was;
  rule.node.classList.toggle("svc-set", rule.set);
  rule.node.classList.toggle("svc-changed", rule.changed);
  for (const choice of rule.choices) {
    choice.radio.checked = choice.id === now;
    choice.label.classList.toggle("svc-chosen", choice.id === now && now !== null);
    choice.radio.disabled = Boolean(state.busy);
  }
  rule.note.replaceChildren();
  if (rule.changed) {
    const before = rule.choices.find((choice) => choice.id === was);
    const back = button("Revert", () => takeBack(rule, before, was), "svc-link");
    back.setAttribute("aria-label", `Revert: ${rule.node.querySelector(".svc-rule-name").textContent}`);
    const there = state.there ? `Changed here. On the service: ${before ? before.name : was}` : "Changed here.";
    rule.note.append(make("span", "", there), back);
  }
  const found = state.findings.get(rule.key) || [];
  rule.said.replaceChildren(...found.map(([severity, text]) => make("div", `svc-said svc-said-${severity}`, `${severity === "error" ? "Error" : "Warning"}: ${text}`)));
}

function sectionNode(category, send) {
  const node = make("details", "svc-category");
  const summary = make("summary");
  const counter = make("span", "svc-count");
  const rules = category.rules.map((rule) => ruleNode(category, rule, send));
  const name = make("span", "svc-category-name", category.label);
  name.title = category.id;
  summary.append(name, counter);
  node.append(summary, ...rules.map((rule) => rule.node));
  return { node, counter, rules };
}

function counted(rules) {
  const [set, changed] = [rules.filter((rule) => rule.set).length, rules.filter((rule) => rule.changed).length];
  return `${count(set)} of ${count(rules.length)} set${changed ? ` · ${count(changed)} changed` : ""}`;
}

function elsewhereNode() {
  const node = make("details", "svc-elsewhere");
  const summary = make("summary");
  const list = make("ul");
  node.append(summary, list);
  node.hidden = true;
  return { node, summary, list };
}

function render({ model, el }) {
  const root = make("div", "svc-board");
  const tools = make("div", "svc-board-tools");
  const search = make("input", "svc-board-search");
  const views = make("div", "svc-views");
  const total = make("span", "svc-count svc-total");
  const shelf = make("div", "svc-shelf");
  const empty = make("div", "svc-empty");
  const elsewhere = elsewhereNode();
  const state = { rules: new Map(), base: new Map(), findings: new Map(), view: "all", busy: false, there: false };
  let sections = [];
  let later = 0;
  search.type = "search";
  search.placeholder = "Search rules and options";
  search.setAttribute("aria-label", "Search rules and options");
  views.setAttribute("role", "group");
  views.setAttribute("aria-label", "Which rules");
  empty.setAttribute("role", "status");
  tools.append(search, views, total);
  root.append(tools, shelf, empty, elsewhere.node);

  const send = (message) => model.send(message);
  const buttons = VIEWS.map(([id, text]) => {
    const node = button(text, () => look(id), "svc-view");
    views.append(node);
    return [id, node];
  });
  const all = () => sections.flatMap((section) => section.rules);
  const words = () => stems(search.value);
  const hits = (choice, wanted) => choice.id !== null && wanted.every((word) => begins(choice.find, word));
  // The focused element stays in view, whatever happens to it.
  const viewed = (rule) => state.view === "all" || rule[state.view] || rule.node.contains(focused());

  function countViews(wanted) {
    const found = all().filter((rule) => !wanted.length || rule.choices.some((choice) => hits(choice, wanted)));
    for (const [place, [id, node]] of buttons.entries()) {
      const shown = id === "all" ? found : found.filter((rule) => rule[id]);
      node.textContent = all().length ? `${VIEWS[place][1]} (${count(shown.length)})` : VIEWS[place][1];
    }
  }
  function look(view) {
    state.view = view;
    for (const [id, node] of buttons) node.setAttribute("aria-pressed", String(id === view));
    filter();
  }
  function filter() {
    const wanted = words();
    const narrowed = wanted.length > 0 || state.view !== "all";
    for (const section of sections) {
      for (const rule of section.rules) {
        const found = wanted.length ? rule.choices.filter((choice) => hits(choice, wanted)) : [];
        const some = found.length < rule.choices.length - 1; // if all match, none is highlighted
        for (const choice of rule.choices) choice.label.classList.toggle("svc-hit", some && found.includes(choice));
        rule.node.hidden = !viewed(rule) || (wanted.length > 0 && !found.length);
      }
      const left = section.rules.some((rule) => !rule.node.hidden);
      section.node.hidden = !left;
      if (narrowed && section.before === undefined) section.before = section.node.open;
      if (narrowed) section.node.open = left;
      else if (section.before !== undefined) [section.node.open, section.before] = [section.before, undefined];
    }
    countViews(wanted);
    tell(wanted, narrowed);
  }
  function tell(wanted, narrowed) {
    const shown = all().filter((rule) => !rule.node.hidden).length;
    total.textContent = all().length ? (narrowed ? `${plural(shown, "rule")} of ${count(all().length)}` : counted(all())) : "";
    empty.textContent = shown ? "" : !all().length ? "Choose a list above, or create one." : wanted.length ? "No rules match in this language." : state.view === "set" ? "No rule is set yet." : "No rule is changed.";
    if (!wanted.length) elsewhere.node.hidden = true;
  }
  function askElsewhere() {
    clearTimeout(later);
    later = setTimeout(() => send({ kind: "search", text: search.value }), 250);
  }
  function showElsewhere({ text, found, count: all }) {
    elsewhere.node.hidden = !found.length || plain(text) !== plain(search.value) || !words().length;
    elsewhere.summary.textContent = `${plural(all, "option")} in other languages`;
    elsewhere.list.replaceChildren(...found.map(([rule, option, languages]) => {
      const item = make("li");
      item.append(make("b", "", rule), make("span", "", ` ${option} `), make("span", "svc-odd", languages));
      return item;
    }));
    if (all > found.length) elsewhere.list.append(make("li", "", `and ${count(all - found.length)} more`));
  }
  function build(categories) {
    const before = new Map(sections.map((section) => [section.id, section.node.open]));
    sections = categories.map((category) => ({ id: category.id, ...sectionNode(category, send) }));
    shelf.replaceChildren(...sections.map((section) => section.node));
    refresh();
    const none = !all().some((rule) => rule.set);
    for (const [place, section] of sections.entries())
      section.node.open = before.get(section.id) ?? (section.rules.some((rule) => rule.set) || (none && place === 0));
    filter();
  }
  function refresh() {
    for (const rule of all()) mark(rule, state);
    for (const section of sections) section.counter.textContent = counted(section.rules);
    filter();
  }
  function see(category, rule) {
    const found = all().find((each) => each.key === keyOf(category, rule));
    if (!found) return;
    found.node.closest("details").open = true;
    scrollTo(shelf, found.node);
  }
  const mapped = (rows) => new Map(rows.map(([category, rule, value]) => [keyOf(category, rule), value]));
  function shown(message) {
    for (const name of ["rules", "base", "findings"]) if (message[name]) state[name] = mapped(message[name]);
    for (const name of ["busy", "there"]) if (message[name] !== undefined) state[name] = message[name];
    if (message.filter !== undefined && message.filter !== search.value) search.value = message.filter;
    if (message.view !== undefined && message.view !== state.view) look(message.view);
    if (message.categories) build(message.categories);
    else refresh();
    if (message.elsewhere) showElsewhere(message.elsewhere);
    if (message.see) see(...message.see);
  }
  search.addEventListener("input", () => {
    filter();
    shelf.scrollTop = 0; // the best match comes first
    askElsewhere();
  });
  look("all");
  const end = listen({ model, el }, root, shown);
  return () => {
    clearTimeout(later);
    end();
  };
}

export default { render };
