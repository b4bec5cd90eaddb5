// The active cell, the selected block, and the keys and clicks that move them.

function blockOf(g) {
  const rows = [g.active.row, g.anchor.row];
  const columns = [g.active.column, g.anchor.column];
  return {
    top: Math.min(...rows),
    bottom: Math.max(...rows),
    left: Math.min(...columns),
    right: Math.max(...columns),
  };
}

function nodeAt(g, { row, column }) {
  return row < 0 ? headNode(g, column) : g.nodes.get(row)?.querySelector(`[data-column="${column}"]`);
}

function hasFocus(g) {
  return g.scroller.contains(focused());
}

function canWrite(g) {
  return g.active.row >= 0 && Boolean(g.page.columns[g.active.column]?.editable) && !lineOf(g, g.active.row).locked;
}

// Where to start in a new row: languages and the like are already filled in.
function firstToWrite(g) {
  const shown = shownColumns(g);
  return shown.find((number) => !g.page.columns[number].options.length) ?? shown[0];
}

function moveTo(g, row, column, { extend = false, reveal = true, grab = true } = {}) {
  finish(g, true);
  if (g.refuses) tell(g, "");
  g.refuses = false;
  g.moves += 1;
  g.active = {
    row: between(-1, row, lastPlace(g)),
    column: between(0, column, g.page.columns.length - 1),
  };
  if (!extend || g.active.row < 0 || g.anchor.row < 0) g.anchor = { ...g.active };
  if (reveal) bringInSight(g);
  paint(g);
  if (grab) focus(g, { reveal: false });
  tellSelection(g);
}

function bringInSight(g) {
  const node = headNode(g, g.active.column);
  if (node) {
    const left = node.offsetLeft - gutter(g);
    const right = node.offsetLeft + node.offsetWidth - g.scroller.clientWidth;
    g.scroller.scrollLeft = between(Math.min(right, left), g.scroller.scrollLeft, left);
  }
  if (g.active.row < 0) return;
  const top = g.active.row * rowHeight(g);
  const space = g.scroller.clientHeight - g.head.offsetHeight;
  if (top < g.scroller.scrollTop) g.scroller.scrollTop = top;
  else if (top + rowHeight(g) > g.scroller.scrollTop + space) g.scroller.scrollTop = top + rowHeight(g) - space;
}

// The pen waits in the active cell if it is editable, so that an input method finds it from the first key on.
function seat(g) {
  for (const node of g.scroller.querySelectorAll('.svc-cell[tabindex="0"]')) node.tabIndex = -1;
  const node = nodeAt(g, g.active);
  if (!node) return;
  if (canWrite(g)) {
    if (g.pen.parentNode !== node) movePen(g, node);
    if (!g.editing) labelPen(g);
  } else {
    node.tabIndex = 0;
    if (g.pen.parentNode && !g.editing) g.pen.remove();
  }
  tellNote(g);
}

function movePen(g, node) {
  const held = focused() === g.pen || focused() === g.choice;
  g.moving = true;
  node.append(g.pen);
  if (held) g.pen.focus({ preventScroll: true });
  g.moving = false;
}

function labelPen(g) {
  const line = lineOf(g, g.active.row);
  const { title } = g.page.columns[g.active.column];
  const text = line.newLine || line.waits ? "" : textOf(g, line, g.active.column);
  const row = line.newLine ? ", new row" : g.page.editor ? line.number ? `, row ${line.number}` : "" : "";
  g.pen.setAttribute("aria-label", `${title}${row}${text ? `: ${text}` : ""}`);
  setAttribute(g.pen, "aria-description", line.note);
}

function focus(g, { reveal = true } = {}) {
  if (reveal) {
    bringInSight(g);
    paint(g);
  }
  seat(g);
  const node = nodeAt(g, g.active);
  if (!node) return;
  (canWrite(g) ? g.pen : node).focus({ preventScroll: true });
}

// A cell that gets the focus in another way, such as by a screen reader, becomes the active one.
function adopt(g, { dataset }) {
  const { row, column } = dataset;
  if (column === undefined || g.editing || (Number(row) === g.active.row && Number(column) === g.active.column)) return;
  moveTo(g, Number(row), Number(column), { reveal: false });
}

function tellSelection(g) {
  clearTimeout(g.telling);
  g.telling = setTimeout(() => sendSelection(g), 80);
}

// Immediately if the focus moves elsewhere, because a button there may use the selection here.
function sendSelection(g) {
  if (!g.telling) return;
  clearTimeout(g.telling);
  g.telling = 0;
  const { top, bottom } = blockOf(g);
  if (!g.page) return;
  const { version, table } = g.page;
  const ends = top < 0 ? { from: null, to: null } : { from: endAt(g, top), to: endAt(g, bottom) };
  try {
    g.model.send({ kind: "select", ...ends, version, table });
  } catch {
    // The page is being closed, and its kernel may already be gone.
  }
}

// A position for the kernel: by the permanent number of its row, if known here.
function endAt(g, at) {
  if (isNewLine(g, at)) return [null, -1];
  const row = g.order.get(at);
  return row === undefined ? [null, at] : [row, at];
}

// ---- keys

function leap(g, { key, ctrlKey, metaKey }) {
  const { row, column } = g.active;
  const far = ctrlKey || metaKey;
  const screen = Math.max(1, Math.floor(g.scroller.clientHeight / rowHeight(g)) - 2);
  const shown = shownColumns(g);
  const here = shown.indexOf(column);
  const ends = shown.at(-1);
  const bottom = lines(g) - 1;
  return {
    ArrowUp: [far ? 0 : row - 1, column],
    ArrowDown: [far ? bottom : row + 1, column],
    ArrowLeft: [row, far || here < 1 ? shown[0] : shown[here - 1]],
    ArrowRight: [row, far || here === shown.length - 1 ? ends : shown[here + 1]],
    PageUp: [Math.max(0, row - screen), column],
    PageDown: [row + screen, column],
    Home: far ? [0, shown[0]] : [row, shown[0]],
    End: far ? [bottom, ends] : [row, ends],
  }[key];
}

function press(g, event) {
  if (event.isComposing || event.keyCode === 229) return;
  const leaving = g.leaving;
  g.leaving = false;
  if (g.editing ? pressInPen(g, event) : pressInGrid(g, event, leaving)) event.preventDefault();
}

function pressInGrid(g, event, leaving) {
  if (event.altKey && !event.ctrlKey) return false;
  if (event.key === "Tab") return pressTab(g, event, leaving);
  if (g.active.row < 0 && pressInHead(g, event)) return true;
  if ((event.ctrlKey || event.metaKey) && pressWithControl(g, event)) return true;
  const target = leap(g, event);
  if (target) moveTo(g, ...target, { extend: event.shiftKey });
  if (target) g.home = undefined;
  return Boolean(target) || pressPlain(g, event);
}

function pressPlain(g, event) {
  const { key, ctrlKey, metaKey } = event;
  if (key === "F1") showKeys(g);
  else if (key === "Escape") dropRefused(g) || leaveBlock(g);
  else if (key === "Enter" || key === "F2") return readWhole(g) || refuse(g) || enter(g);
  else if (key === " " && event.shiftKey) selectRows(g);
  else if (key === "Delete" || (key === "Backspace" && g.page.editor)) return (!g.page.editor && refuse(g)) || clearBlock(g);
  else if (key === "?" && !canWrite(g)) showKeys(g);
  else if (key === " " && !canWrite(g)) return enter(g);
  else return key.length === 1 && !ctrlKey && !metaKey && (refuse(g) || (canWrite(g) && typeInto(g, key)));
  return true;
}

// In an editable grid, say which columns or rows cannot be edited; the message goes with the next move.
function refuse(g) {
  const { columns, chooses } = g.page;
  if (g.active.row < 0 || canWrite(g) || !columns.some(({ editable }) => editable)) return false;
  const { title, editable } = columns[g.active.column];
  const locked = editable && lineOf(g, g.active.row).locked;
  if (chooses && !locked) return false;
  tell(g, locked || `“${title}” cannot be edited.`);
  return (g.refuses = true);
}

// In such a grid, a text that does not fit its cell is shown below the rows, until the next move.
function readWhole(g) {
  const node = nodeAt(g, g.active);
  const line = lineOf(g, g.active.row);
  const { column } = g.active;
  const { kind } = g.page.columns[column];
  if (g.page.editor || g.page.chooses || canWrite(g) || kind !== "text" || !node || line.waits) return false;
  const cut = isCut(g, line, column);
  if (!cut && node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight) return false;
  if (cut) askText(g, line, column);
  else tell(g, textOf(g, line, column));
  return (g.refuses = true);
}

// A letter goes into the pen by itself; if there is a list to choose from, the letter opens it.
function typeInto(g, key) {
  if (!g.page.columns[g.active.column].options.length) return false;
  return begin(g, { typed: key });
}

function pressInHead(g, { key, shiftKey }) {
  const { column } = g.active;
  const widen = { ArrowLeft: -16, ArrowRight: 16 }[key];
  if (shiftKey && widen) setWidth(g, column, headNode(g, column).offsetWidth + widen);
  else if (shiftKey && key === "Enter") fitWidth(g, column);
  else if (key === "Enter" || key === " ") sortBy(g, column);
  else return false;
  return true;
}

function pressWithControl(g, event) {
  const key = event.key.toLowerCase();
  const edits = Boolean(g.page.editor);
  const turns = edits || g.page.turns;
  if (key === "a") selectAll(g);
  else if (key === " ") selectColumns(g);
  else if (key === "f" && g.page.searchable) g.search.focus();
  else if (key === "x" && edits) cutByKey(g);
  else if (key === "z" && turns) turnBack(g, event.shiftKey ? "redo" : "undo");
  else if (key === "y" && turns) turnBack(g, "redo");
  else if (key === "d" && edits) fillDown(g);
  else if (key === "enter" && edits) addBelow(g);
  else if ((key === "-" || event.code === "NumpadSubtract") && edits) dropBlock(g);
  else return false;
  return true;
}

function pressTab(g, { shiftKey }, leaving) {
  if (!g.page.editor || leaving || g.active.row < 0) return false;
  return tabOn(g, shiftKey);
}

// Tab goes through the cells in reading order; before the first and after the last one it leaves the grid.
function tabOn(g, back) {
  const { row, column } = g.active;
  const shown = shownColumns(g);
  const here = shown.indexOf(column);
  const edge = here === (back ? 0 : shown.length - 1);
  if (edge && row === (back ? 0 : lastPlace(g))) return false;
  g.home = edge ? undefined : (g.home ?? column);
  if (edge) moveTo(g, row + (back ? -1 : 1), back ? shown.at(-1) : shown[0]);
  else moveTo(g, row, shown[here + (back ? -1 : 1)]);
  return true;
}

function enter(g) {
  if (g.active.row < 0) return false;
  if (begin(g)) return true;
  choose(g);
  return true;
}

function choose(g) {
  const row = rowAt(g, g.active.row);
  if (g.page.chooses && row) g.model.send({ kind: "choose", row: row.row, table: g.page.table });
}

function leaveBlock(g) {
  g.leaving = true;
  moveTo(g, g.active.row, g.active.column);
}

function selectAll(g) {
  g.anchor = { row: Math.max(0, lines(g) - 1), column: g.page.columns.length - 1 };
  moveTo(g, 0, 0, { extend: true, reveal: false });
}

function selectRows(g) {
  g.anchor.column = g.page.columns.length - 1;
  moveTo(g, g.active.row, 0, { extend: true });
}

function selectColumns(g) {
  g.anchor.row = Math.max(0, lines(g) - 1);
  moveTo(g, 0, g.active.column, { extend: true, reveal: false });
}

// ---- the mouse

function pressMouse(g, event) {
  if (event.button !== 0 || g.pen.contains(event.target) || event.target === g.choice) return;
  const node = event.target.closest("[data-row]");
  if (!node) return;
  event.preventDefault(); // the code below sets the focus, not the click
  const row = Number(node.dataset.row);
  if (event.target.classList.contains("svc-edge")) dragWidth(g, event, Number(node.dataset.column));
  else if (row < 0) clickHead(g, Number(node.dataset.column));
  else clickCell(g, event, { row, column: node.dataset.column });
}

function clickHead(g, column) {
  moveTo(g, -1, column);
  sortBy(g, column);
}

function clickCell(g, event, { row, column }) {
  g.home = undefined;
  const whole = column === undefined; // the number of the row: all of it
  if (whole && !event.shiftKey) moveTo(g, row, g.page.columns.length - 1, { reveal: false });
  moveTo(g, row, whole ? 0 : Number(column), { extend: event.shiftKey || whole });
  if (!whole) choose(g);
  const drag = (moved) => dragTo(g, moved, whole);
  const end = () => {
    document.removeEventListener("mousemove", drag);
    document.removeEventListener("mouseup", end);
  };
  document.addEventListener("mousemove", drag);
  document.addEventListener("mouseup", end);
  g.endDrag = end;
}

function dragTo(g, event, whole) {
  if (!(event.buttons & 1)) return g.endDrag();
  const box = g.room.getBoundingClientRect();
  const row = between(0, Math.floor((event.clientY - box.top) / rowHeight(g)), lines(g) - 1);
  const over = g.scroller.getRootNode().elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-column]");
  const column = whole ? 0 : over && g.scroller.contains(over) ? Number(over.dataset.column) : g.active.column;
  if (row !== g.active.row || column !== g.active.column) moveTo(g, row, column, { extend: true });
}

function doubleClick(g, event) {
  const node = event.target.closest("[data-column]");
  if (!node || g.editing) return;
  if (event.target.classList.contains("svc-edge")) fitWidth(g, Number(node.dataset.column));
  else if (Number(node.dataset.row) >= 0 && !refuse(g)) begin(g);
}
