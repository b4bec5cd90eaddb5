// Writing into a cell. The pen is one text field that waits in the active cell; a column with options has a list.

function makePen(g) {
  const pen = makeHeld("textarea", "svc-pen");
  pen.rows = 1;
  pen.dir = "auto";
  pen.spellcheck = false;
  pen.setAttribute("autocomplete", "off");
  pen.addEventListener("compositionstart", () => begin(g, { typed: "" }));
  pen.addEventListener("compositionend", () => setTimeout(() => g.left && finish(g, true)));
  pen.addEventListener("input", () => {
    if (!g.editing) begin(g, { typed: pen.value });
    grow(g);
  });
  pen.addEventListener("blur", () => leavePen(g));
  return pen;
}

// A composition that is under way when the pen loses the focus is ended by the browser: its text counts.
function leavePen(g) {
  if (g.moving || !g.editing) return;
  g.left = true;
  setTimeout(() => g.left && g.editing && finish(g, true));
}

// Begin to write: over what is there with what was *typed*, or within what is there.
function begin(g, { typed } = {}) {
  if (g.editing || !canWrite(g) || !nodeAt(g, g.active)) return Boolean(g.editing);
  const { row: at, column } = g.active;
  const line = lineOf(g, at);
  if (typed === undefined && line.waits) return true;
  if (typed === undefined && !line.newLine && isCut(g, line, column)) return askText(g, line, column);
  const before = line.newLine ? "" : line.waits ? null : textOf(g, line, column);
  start(g, { at, column, row: line.row, newLine: line.newLine, before, typed: typed !== undefined }, typed);
  return true;
}

// What is shown is cut: the whole text comes first.
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
  start(g, { at: g.active.row, column: wanted.column, row, before, typed: false });
}

function start(g, editing, typed) {
  const { options, title } = g.page.columns[editing.column];
  g.anchor = { ...g.active };
  g.editing = editing;
  g.left = false;
  const node = nodeAt(g, g.active);
  node.classList.add("svc-editing");
  g.pen.setAttribute("aria-label", title);
  if (options.length) return openChoice(g, node, options, typed);
  if (!editing.typed) {
    g.pen.classList.toggle("svc-long", editing.before.length > WRAPPED);
    g.pen.value = editing.before;
    editing.before = g.pen.value; // as the field keeps it: line breaks are all alike there
  }
  g.pen.classList.add("svc-open");
  if (document.activeElement !== g.pen) g.pen.focus({ preventScroll: true });
  if (!editing.typed) g.pen.setSelectionRange(g.pen.value.length, g.pen.value.length);
  grow(g);
}

function grow(g) {
  g.pen.style.height = "";
  if (g.editing) g.pen.style.height = `${between(22, g.pen.scrollHeight + 2, 160)}px`;
}

function openChoice(g, node, options, typed) {
  const letter = (typed || "").toLowerCase();
  const { before } = g.editing;
  const offered = options.includes(before) || before === null ? options : [before, ...options];
  g.choice = makeHeld("select", "svc-choice");
  g.choice.append(...offered.map((option) => Object.assign(make("option", "", option), { value: option })));
  g.choice.setAttribute("aria-label", g.page.columns[g.editing.column].title);
  g.choice.value = (letter && options.find((option) => option.toLowerCase().startsWith(letter))) || before || options[0];
  g.choice.addEventListener("blur", () => leavePen(g));
  node.append(g.choice);
  g.moving = true; // the pen gives way, which is no end
  g.choice.focus({ preventScroll: true });
  g.moving = false;
}

// End writing, and keep what was written or not.
function finish(g, keep) {
  const editing = g.editing;
  if (!editing) return;
  const text = wellFormed((g.choice || g.pen).value);
  const held = hasFocus(g);
  g.editing = null;
  g.left = false;
  closePen(g, held);
  const same = text === editing.before || (editing.newLine && !text);
  if (keep && !same) commit(g, editing, text);
  paint(g);
}

function closePen(g, held) {
  g.moving = true;
  g.pen.value = "";
  g.pen.style.height = "";
  g.pen.classList.remove("svc-open", "svc-long");
  for (const node of g.room.querySelectorAll(".svc-editing")) node.classList.remove("svc-editing");
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

// ---- keys while writing

function pressInPen(g, event) {
  const { key, shiftKey, altKey, ctrlKey } = event;
  if (key === "Escape") return stay(g, false);
  if (key === "F2") return !(g.editing.typed = false);
  if (key === "Enter" && altKey && !g.choice) return breakLine(g);
  if (key === "Enter") return nextLine(g, ctrlKey ? 0 : shiftKey ? -1 : 1);
  if (key === "Tab") return finish(g, true), tabOn(g, shiftKey);
  const target = g.editing.typed && !g.choice && !shiftKey && !ctrlKey && key.startsWith("Arrow") && leap(g, event);
  if (!target) return false;
  moveTo(g, ...target);
  return true;
}

function stay(g, keep) {
  finish(g, keep);
  focus(g);
  return true;
}

function nextLine(g, step) {
  const { at, column } = g.editing;
  const home = g.home === undefined ? column : g.home;
  g.home = undefined;
  finish(g, true);
  moveTo(g, Math.max(0, at + step), step ? home : column);
  return true;
}

function breakLine(g) {
  g.pen.setRangeText("\n", g.pen.selectionStart, g.pen.selectionEnd, "end");
  grow(g);
  return true;
}
