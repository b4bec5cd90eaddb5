// Above and below the rows: search, filters, buttons, the keys; counts and the problem of a row.

const FILTERS = { all: "All", error: "Errors", warning: "Warnings", changed: "Changed", new: "Added" };
const KEYS = [
  ["Arrows, Page, Home, End", "move; with Ctrl to the ends, with Shift select"],
  ["Type, or Enter, F2, double click", "overwrite a cell, or edit it"],
  ["Enter, Tab", "save and move on; Escape cancels"],
  ["Ctrl-A, Shift-Space, Ctrl-Space", "select all, the row, the column"],
  ["Ctrl-C, Ctrl-X, Ctrl-V", "copy, cut, paste cells, also from a spreadsheet"],
  ["Delete, Ctrl-D", "clear cells, fill down"],
  ["Ctrl-Enter, Ctrl-Minus", "add a row below, delete rows"],
  ["Ctrl-Z, Ctrl-Y", "undo, redo"],
  ["Ctrl-F", "search; Escape goes back to the rows"],
  ["On a heading: Enter, Shift-arrows, Shift-Enter", "sort, set the width, fit the width"],
  ["Escape, then Tab", "leave the table; F1 shows these shortcuts"],
];

function makeBar(g) {
  const bar = make("div", "svc-bar");
  g.search = makeSearch(g);
  g.filters = make("div", "svc-tools");
  g.filters.setAttribute("role", "group");
  g.filters.setAttribute("aria-label", "Filter rows");
  for (const [name, title] of Object.entries(FILTERS)) g.filters.append(makeFilter(g, name, title));
  g.tools = make("div", "svc-tools");
  g.tools.setAttribute("role", "group");
  g.tools.setAttribute("aria-label", "Change rows");
  g.undoer = makeButton("Undo", () => turnBack(g, "undo"), "Ctrl-Z");
  g.redoer = makeButton("Redo", () => turnBack(g, "redo"), "Ctrl-Y");
  for (const node of [g.undoer, g.redoer]) node.dataset.keys = node.title;
  g.keys = makeButton("Shortcuts", () => showKeys(g), "F1");
  g.keys.setAttribute("aria-expanded", "false");
  g.editorTools = [
    makeButton("Add row", () => addBelow(g), "Ctrl-Enter"),
    makeButton("Delete rows", () => dropBlock(g), "Ctrl-Minus"),
    makeButton("Fill down", () => fillDown(g), "Ctrl-D"),
    g.keys,
  ];
  g.tools.append(g.undoer, g.redoer, ...g.editorTools);
  bar.append(g.search, g.filters, g.tools);
  // A button does not take the focus, so the selected rows stay selected.
  bar.addEventListener("mousedown", (event) => event.target.closest("button") && event.preventDefault());
  return bar;
}

function makeFilter(g, name, title) {
  const node = makeButton(title, () => g.model.send({ kind: "only", name }));
  node.dataset.name = name;
  if (name !== "all") node.style.minWidth = `${title.length + 5}ch`; // counts up to 999 do not move the neighbours
  return node;
}

function makeSearch(g) {
  const field = make("input", "svc-grid-search");
  field.type = "search";
  field.placeholder = "Search";
  field.setAttribute("aria-label", "Search rows");
  field.dir = "auto";
  const send = () => {
    clearTimeout(g.searching);
    g.searching = 0;
    g.model.send({ kind: "look", text: wellFormed(field.value) });
  };
  field.addEventListener("input", (event) => {
    clearTimeout(g.searching);
    g.searching = setTimeout(send, event.isComposing ? 600 : 150);
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter") send();
    if (event.key === "Escape" && field.value) {
      field.value = "";
      send();
    } else if (event.key === "Escape" || event.key === "ArrowDown") {
      event.preventDefault();
      moveTo(g, Math.max(0, g.active.row), g.active.column);
    }
  });
  return field;
}

function showBar(g) {
  const { editor, searchable, turns } = g.page;
  g.bar.hidden = !editor && !searchable && !turns;
  g.search.hidden = !searchable;
  g.filters.hidden = !editor;
  g.tools.hidden = !editor && !turns;
  for (const node of g.editorTools) node.hidden = !editor;
}

function makeFoot(g) {
  const foot = make("div", "svc-foot");
  g.more = make("button", "svc-more");
  g.more.type = "button";
  g.more.addEventListener("click", () => {
    g.every = !g.every;
    fitColumns(g);
  });
  g.note = make("div", "svc-note");
  g.said = make("div", "svc-grid-said");
  g.told = make("div", "svc-told");
  g.told.setAttribute("role", "status");
  foot.append(g.more, g.note, g.told, g.said);
  return foot;
}

function showFoot(g, foot) {
  if (!foot) return;
  g.said.textContent = foot.said;
  g.empty = foot.sizes?.all === 0;
  if (!g.searching && focused() !== g.search && wellFormed(g.search.value) !== foot.look) g.search.value = foot.look;
  if (g.page.editor || g.page.turns) {
    nameStep(g.undoer, "Undo", foot.undo);
    nameStep(g.redoer, "Redo", foot.redo);
  }
  for (const node of g.page.editor ? g.filters.children : []) {
    const { name } = node.dataset;
    node.setAttribute("aria-pressed", foot.only === name);
    node.textContent = name === "all" ? FILTERS.all : `${FILTERS[name]} ${foot.sizes[name].toLocaleString("en")}`;
  }
}

function nameStep(node, word, step) {
  node.disabled = !step;
  const name = step ? `${word}: ${step[0].toLowerCase()}${step.slice(1)}` : word;
  setAttribute(node, "aria-label", name); // the visible word stays, so that no button moves
  node.title = `${name} (${node.dataset.keys})`;
}

function tell(g, text) {
  g.told.textContent = text;
  g.toldAt = Date.now();
}

// The problem of the active row, for those who do not hover; a change is not a problem.
function tellNote(g) {
  const line = g.active.row >= 0 && g.active.row <= lastPlace(g) ? lineOf(g, g.active.row) : {};
  const word = g.page.editor || line.mark !== "changed" ? WORDS[line.mark] : "";
  const names = [g.page.editor && line.number && `Row ${line.number}`, word].filter(Boolean).join(", ");
  const text = line.note ? `${names}${names ? ": " : ""}${line.note}` : "";
  const shown = text.charAt(0).toUpperCase() + text.slice(1);
  if (g.note.textContent !== shown) g.note.textContent = shown;
  g.note.className = `svc-note${line.mark && text ? ` svc-${line.mark}` : ""}`;
}

function makeKeys() {
  const list = make("div", "svc-keys");
  list.hidden = true;
  list.setAttribute("role", "list");
  for (const [keys, what] of KEYS) {
    const line = make("div", "svc-key");
    line.setAttribute("role", "listitem");
    line.append(make("span", "svc-key-names", keys), make("span", "", what));
    list.append(line);
  }
  return list;
}

function showKeys(g) {
  g.help.hidden = !g.help.hidden;
  g.keys.setAttribute("aria-expanded", !g.help.hidden);
}
