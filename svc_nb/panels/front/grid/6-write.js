// Editing a cell. The pen is one text field that waits in the active cell; a column with options has a list.

function makePen(g) {
  const pen = make("textarea", "svc-pen");
  pen.rows = 1;
  pen.dir = "auto";
  pen.spellcheck = false;
  pen.setAttribute("autocomplete", "off");
  pen.addEventListener("compositionstart", () => {
    g.composing = true;
    begin(g, { typed: "" });
  });
  pen.addEventListener("compositionend", () => {
    g.composing = false;
    setTimeout(() => g.left && finish(g, true));
  });
  pen.addEventListener("input", () => {
    if (!g.editing) begin(g, { typed: pen.value });
    grow(g);
  });
  pen.addEventListener("blur", () => leavePen(g));
  g.refused = new Map();
  g.why = make("div", "svc-pen-why");
  g.why.setAttribute("role", "alert");
  return pen;
}

// The edit is handled before the click. The browser ends a composition in progress a moment later.
function leavePen(g) {
  if (g.moving || !g.editing) return;
  g.left = true;
  const end = () => g.left && g.editing && finish(g, true);
  if (g.composing) setTimeout(end);
  else queueMicrotask(end);
}

// Start editing: overwrite the content with the text *typed*, or edit it.
function begin(g, { typed } = {}) {
  if (g.editing || !canWrite(g) || !nodeAt(g, g.active)) return Boolean(g.editing);
  const { row: at, column } = g.active;
  const line = lineOf(g, at);
  if (typed === undefined && line.waits) return true;
  if (typed === undefined && needsText(g, line, column)) return askText(g, line, column);
  const before = line.newLine ? "" : line.waits ? null : textOf(g, line, column);
  const refused = typed === undefined && refusedAt(g, line.row, g.page.columns[column].name);
  if (refused) return start(g, { at, column, row: line.row, before, typed: false, refused }), true;
  start(g, { at, column, row: line.row, newLine: line.newLine, before, typed: typed !== undefined }, typed);
  return true;
}

function needsText(g, line, column) {
  return !line.newLine && isCut(g, line, column) && !refusedAt(g, line.row, g.page.columns[column].name);
}

// The text shown is cut off, so load the full text first.
function askText(g, line, column) {
  g.wanted = { row: line.row, column };
  g.model.send({ kind: "text", view: g.id, row: line.row, table: g.page.table });
  return true;
}

function takeText(g, { row, cells }) {
  const wanted = g.wanted;
  g.wanted = null;
  const there = g.order.get(g.active.row) === row && g.active.column === wanted?.column;
  if (!wanted || wanted.row !== row || !there || g.editing) return;
  const before = cells[wanted.column];
  if (!canWrite(g)) return tell(g, before);
  start(g, { at: g.active.row, column: wanted.column, row, before, typed: false });
}

function start(g, editing, typed) {
  const { options, title } = g.page.columns[editing.column];
  if (g.page.editor || !options.length) g.anchor = { ...g.active }; // a choice is for all selected rows
  g.editing = editing;
  g.left = false;
  const node = nodeAt(g, g.active);
  node.classList.add("svc-editing");
  g.pen.setAttribute("aria-label", title);
  if (options.length) return openChoice(g, node, options, typed);
  if (!editing.typed) {
    g.pen.classList.toggle("svc-long", editing.before.length > WRAPPED);
    g.pen.value = editing.before;
    editing.before = g.pen.value; // as the field keeps it, with uniform line breaks
    if (editing.refused) g.pen.value = editing.refused.text;
  }
  editing.first = editing.typed ? "" : g.pen.value;
  g.pen.classList.add("svc-open");
  if (focused() !== g.pen) g.pen.focus({ preventScroll: true });
  if (!editing.typed) g.pen.setSelectionRange(g.pen.value.length, g.pen.value.length);
  fillLine(g, node.parentNode, editing.at);
  grow(g);
  if (editing.refused) tellWhy(g, editing.refused.why);
}

// As high as its text, within the table: further up at the last rows.
function grow(g) {
  g.pen.style.height = g.pen.style.top = "";
  if (!g.editing) return;
  g.pen.style.height = `${between(22, g.pen.scrollHeight + 2, 160)}px`;
  const below = () => g.pen.getBoundingClientRect().bottom - g.scroller.getBoundingClientRect().top - g.scroller.clientHeight;
  if (below() > 0) g.scroller.scrollTop += below();
  if (below() > 0) g.pen.style.top = `${-Math.ceil(below())}px`;
}

// ---- rejected text: it stays in its cell, with the reason beside it

// A text that the kernel rejected for a cell, and why.
function refusedAt(g, row, name) {
  const refused = g.refused.get(cellKey(row, name));
  return refused && refused.table === g.page.table ? refused : undefined;
}

function takeRefusal(g, { table, cells }) {
  if (table !== g.page.table) return tell(g, cells.map(([, , text, why]) => `Not saved: “${text}”. ${why}`).join(" "));
  for (const [row, name, text, why] of cells) g.refused.set(cellKey(row, name), { table, text, why });
  const [row, name] = cells[0];
  const place = [...g.order].find(([, there]) => there === row)?.[0];
  const column = g.page.columns.findIndex((each) => each.name === name);
  if (place === undefined || column < 0 || g.editing || !hasFocus(g)) return paint(g); // it waits in its cell
  moveTo(g, place, column);
  begin(g);
}

// Escape on a cell drops its rejected text.
function dropRefused(g) {
  const { row } = lineOf(g, g.active.row);
  const name = g.page.columns[g.active.column]?.name;
  if (!refusedAt(g, row, name)) return false;
  g.refused.delete(cellKey(row, name));
  g.model.send({ kind: "dismiss", row, column: name, table: g.page.table });
  paint(g);
  return true;
}

function tellWhy(g, text, kind = "error") {
  g.why.textContent = text;
  g.why.dataset.kind = kind;
  const node = nodeAt(g, g.active);
  if (!text || !node) return g.why.remove();
  g.why.style.top = `${(g.choice || g.pen).offsetHeight + 1}px`;
  if (g.why.parentNode !== node) node.append(g.why);
  g.why.scrollIntoView({ block: "nearest" });
}

function isRefused(g) {
  const { refused, unknown } = g.editing;
  return Boolean(unknown || (refused && g.pen.value === refused.text));
}

// ---- a list to choose from

function openChoice(g, node, options, typed) {
  const { before } = g.editing;
  const offered = options.includes(before) || before === null ? options : [before, ...options];
  g.choice = make("select", "svc-choice");
  g.choice.append(...offered.map((option) => Object.assign(make("option", "", option), { value: option })));
  g.choice.setAttribute("aria-label", g.page.columns[g.editing.column].title);
  g.choice.value = before || options[0];
  g.choice.addEventListener("blur", () => leavePen(g));
  g.choice.addEventListener("change", () => search(g, ""));
  node.append(g.choice);
  g.moving = true; // the pen closes, but editing continues
  g.choice.focus({ preventScroll: true });
  g.moving = false;
  fillLine(g, node.parentNode, g.editing.at);
  search(g, typed || "");
}

// All typed letters count, including the one that opened the list, because browsers forget those before a pause.
function search(g, typed) {
  const wanted = typed.toLowerCase();
  const options = [...g.choice.options].map(({ value }) => value);
  const first = (fits) => options.find((option) => fits(option.toLowerCase()));
  const [code, begun] = [(text) => text.includes(`(${wanted})`), (text) => text.startsWith(wanted)];
  const found = typed && (first(code) || first(begun));
  g.editing.letters = typed;
  g.editing.unknown = Boolean(typed && !found);
  if (found) g.choice.value = found;
  if (!typed) tellWhy(g, "");
  else if (found) tellWhy(g, `“${typed}”: ${found}`, "info");
  else tellWhy(g, `No match for “${typed}”. Press Backspace to delete a letter.`);
}

function pressInChoice(g, { key, ctrlKey, metaKey, altKey }) {
  const { letters } = g.editing;
  if (ctrlKey || metaKey || altKey) return false;
  if (key === "Backspace") search(g, letters.slice(0, -1));
  else if (key.length === 1 && (key !== " " || letters)) search(g, letters + key);
  else return false;
  return true;
}

// End editing, and keep the text or not.
function finish(g, keep) {
  const editing = g.editing;
  if (!editing) return;
  const text = wellFormed((g.choice || g.pen).value);
  const held = hasFocus(g);
  const refused = isRefused(g);
  g.editing = null;
  g.left = false;
  closePen(g, held);
  const same = (text === editing.before && !editing.confirmed) || (editing.newLine && !text);
  const name = g.page.columns[editing.column]?.name;
  const put = keep && !same && !refused;
  const gone = (!keep || !refused) && g.refused.delete(cellKey(editing.row, name));
  if (gone && !put) g.model.send({ kind: "dismiss", row: editing.row, column: name, table: g.page.table });
  if (put) commit(g, editing, text);
  paint(g);
}

function closePen(g, held) {
  g.moving = true;
  g.pen.value = "";
  g.pen.style.height = g.pen.style.top = "";
  g.pen.classList.remove("svc-open", "svc-long");
  for (const node of g.room.querySelectorAll(".svc-editing")) node.classList.remove("svc-editing");
  g.why.remove();
  if (g.choice) g.choice.remove();
  if (g.choice && held) g.pen.focus({ preventScroll: true });
  g.choice = null;
  g.moving = false;
}

function commit(g, { at, column, row, newLine }, text) {
  const { name } = g.page.columns[column];
  if (newLine) return addRow(g, { at: lines(g), after: null, cells: { [name]: text } });
  const target = row === "" ? { at, version: g.page.version } : row;
  const number = deed(g, { kind: "write", cells: [[target, name, text]] });
  if (row !== "") g.written.set(cellKey(row, name), { text, number });
}

// ---- keys while editing

function pressInPen(g, event) {
  const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
  if (key === "Escape") return stay(g, false);
  if (key === "F2") return !(g.editing.typed = false);
  if (key === "Enter" && altKey && !g.choice) return breakLine(g);
  if (key === "Enter" && isRefused(g)) return true;
  if (key === "Enter") return nextLine(g, ctrlKey ? 0 : shiftKey ? -1 : 1);
  if (key === "Tab") return finish(g, true), tabOn(g, shiftKey);
  if (g.choice && pressInChoice(g, event)) return true;
  if (ctrlKey || metaKey) return pressUndo(g, event);
  const target = g.editing.typed && !g.choice && !shiftKey && !ctrlKey && key.startsWith("Arrow") && leap(g, event);
  if (!target) return false;
  moveTo(g, ...target);
  return true;
}

// The browser's undo covers all fields of the page: with nothing left to undo here, it would change another field.
function pressUndo(g, { key, shiftKey }) {
  const letter = key.toLowerCase();
  if (letter === "y" || (letter === "z" && shiftKey)) return !g.editing.undone;
  if (letter !== "z") return false;
  if (g.choice || g.pen.value === g.editing.first) return true;
  g.editing.undone = true;
  return false;
}

function stay(g, keep) {
  finish(g, keep);
  focus(g);
  return true;
}

function nextLine(g, step) {
  const { at, column } = g.editing;
  g.editing.confirmed = Boolean(g.choice) && !g.page.editor; // choosing the current value confirms it
  const home = g.home === undefined ? column : g.home;
  g.home = undefined;
  finish(g, true);
  const to = between(0, at + step, lastPlace(g));
  moveTo(g, to, step === 1 && isNewLine(g, to) ? firstToWrite(g) : step ? home : column);
  return true;
}

function breakLine(g) {
  g.pen.setRangeText("\n", g.pen.selectionStart, g.pen.selectionEnd, "end");
  grow(g);
  return true;
}
