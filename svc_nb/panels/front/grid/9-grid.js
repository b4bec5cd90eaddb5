// The grid as a whole: it requests a page when it is shown, and follows messages from the kernel.

function build(g) {
  g.frame = make("div", "svc-grid");
  g.scroller = make("div", "svc-scroller");
  g.scroller.setAttribute("role", "grid");
  g.head = make("div", "svc-head");
  g.head.setAttribute("role", "row");
  g.head.setAttribute("aria-rowindex", 1);
  g.room = make("div", "svc-room");
  g.room.setAttribute("role", "rowgroup");
  g.scroller.append(g.head, g.room);
  g.pen = makePen(g);
  g.bar = makeBar(g);
  g.help = makeKeys();
  g.foot = makeFoot(g);
  g.frame.append(g.bar, g.help, g.scroller, g.foot);
  g.frame.hidden = true;
}

function listen(g) {
  g.scroller.addEventListener("keydown", (event) => press(g, event));
  g.scroller.addEventListener("copy", (event) => (g.cutting ? cut(g, event) : copy(g, event)));
  g.scroller.addEventListener("cut", (event) => cut(g, event));
  g.scroller.addEventListener("paste", (event) => paste(g, event));
  g.scroller.addEventListener("focusout", () => sendSelection(g));
  g.scroller.addEventListener("focusin", ({ target }) => adopt(g, target));
  g.scroller.addEventListener("mousedown", (event) => pressMouse(g, event));
  g.scroller.addEventListener("dblclick", (event) => doubleClick(g, event));
  g.scroller.addEventListener("scroll", () => {
    cancelAnimationFrame(g.next);
    g.next = requestAnimationFrame(() => paint(g));
  });
}

// ---- messages from the kernel

function takePage(g, page) {
  const before = g.page;
  const alike = before && before.group === page.group && before.signs === page.signs;
  const same = alike && before.table === page.table;
  const stays = !page.editor && before?.table === page.table && before.order === page.order; // rows, and the selection
  const held = hasFocus(g);
  const begun = alike && g.editing?.newLine ? { text: g.pen.value, column: g.editing.column } : null;
  const kept = before && !same && !begun && g.editing && !g.choice;
  const open = kept ? { ...g.editing, name: before.columns[g.editing.column].name, text: g.pen.value, known: cellsOf(g, g.editing.row) } : null;
  if (open) {
    g.editing = null;
    closePen(g, held);
  }
  if (g.editing && (begun || !same)) finish(g, false);
  const editing = g.editing;
  const stood = before?.editor && page.editor ? standing(g) : null;
  g.page = page;
  g.asked = "";
  const sorted = before && String(before.sort) !== String(page.sort);
  const narrowed = before?.editor && before.foot.look !== page.foot.look && page.count < before.count;
  if (sorted || narrowed) g.scroller.scrollTop = 0; // show search results from the top
  const [first, last] = g.frame.hidden ? [0, 0] : inSight(g);
  g.stale = Boolean(same) && last > page.rows.length && page.count > page.rows.length;
  if (!same) forget(g);
  if (!g.stale) {
    forgetOrder(g);
    takeRows(g, 0, page.rows);
  }
  const begins = page.editor ? !before : page.begins && g.active.row < 0 && !held;
  if (!before || begins) g.active = { row: begins && page.count ? 0 : -1, column: 0 };
  else if (!stays && !page.editor && !page.begins && !held) g.active.row = -1; // only the selection is highlighted
  if (editing && g.order.get(editing.at) !== editing.row) finish(g, true);
  const moved = Boolean(stood) && !g.editing && stand(g, stood);
  if (before && before.group !== page.group && before.table !== page.table) g.scroller.scrollTop = 0;
  showPage(g);
  if (!editing && !stays) g.anchor = { ...g.active };
  showFoot(g, page.foot);
  paint(g);
  if (held && !g.editing) focus(g, { reveal: false });
  if (moved && !sorted && !narrowed) bringInSight(g);
  if (!stays && (moved || held || begins || page.begins)) tellSelection(g);
  go(g, page.go, page.focus);
  if (begun) goOn(g, begun);
  if (open) reopen(g, open, before.table);
}

// The active cell by its row and column name, because its position changes with the rows in view.
function standing(g) {
  const { row: at, column } = g.active;
  const row = g.order.get(at) ?? (g.stood?.at === at ? g.stood.row : undefined); // its rows may not have arrived yet
  return { row, newLine: isNewLine(g, at), name: g.page.columns[column]?.name };
}

// Make the previously active cell active again, wherever its row is now; none if that is out of view. Returns whether
// its position changed.
function stand(g, { row, newLine, name }) {
  const before = g.active.row;
  const { rows, places } = g.page;
  const first = rows.findIndex((each) => each.row === row);
  const column = g.page.columns.findIndex((each) => each.name === name);
  if (column >= 0) g.active.column = column;
  if (newLine) g.active.row = lines(g);
  else if (typeof row !== "string" && before >= 0) g.active.row = placeHere(g, first < 0 ? (places[row] ?? null) : first) ?? -1;
  g.stood = { at: g.active.row, row };
  return g.active.row !== before;
}

// The texts of a row, by the names of its columns.
function cellsOf(g, row) {
  const cells = g.rows.get(row)?.cells || [];
  return Object.fromEntries(cells.map((text, number) => [g.page.columns[number].name, text]));
}

// The current position of a row of the previous table; rows of another table match if all shared columns are the same.
function placeNow(g, { row, known, at, newLine }, table) {
  if (newLine) return lines(g);
  if (table === g.page.table) return at;
  if (g.page.editor) return [...g.order].find(([, there]) => there === row)?.[0];
  const isAlike = (cells) => Object.entries(cells).every(([name, text]) => !(name in known) || known[name] === text);
  const alike = [...g.order].filter(([, there]) => isAlike(cellsOf(g, there)));
  return alike.length === 1 ? alike[0][0] : undefined;
}

// If columns or rows were added, the cell being edited is opened again, or its text is shown in a message.
function reopen(g, { name, text, ...editing }, table) {
  const column = g.page.columns.findIndex((each) => each.name === name);
  const at = placeNow(g, editing, table);
  if (column < 0 || at === undefined) return text === editing.first ? undefined : tell(g, `Not saved: “${text}”. The rows have changed.`);
  g.active = { row: at, column };
  paint(g);
  start(g, { ...editing, at, row: g.order.get(at) ?? "", column });
  g.pen.value = g.editing.first = text;
  grow(g);
}

// Text started in the new row continues there, wherever it is now.
function goOn(g, { text, column }) {
  moveTo(g, lastPlace(g), column, { grab: true });
  if (!begin(g, { typed: text })) return;
  g.pen.value = g.editing.first = text;
  grow(g);
}

function forget(g) {
  g.rows = new Map();
  g.order = new Map();
  g.written = new Map();
  g.pending = [];
  for (const [at, node] of g.nodes) dropNode(g, at, node);
}

function showPage(g) {
  const { page } = g;
  g.frame.hidden = !page.columns.length;
  g.frame.classList.toggle("svc-editor", Boolean(page.editor));
  g.frame.classList.toggle("svc-tall", Boolean(page.tall));
  g.scroller.setAttribute("aria-label", page.title);
  g.scroller.setAttribute("aria-colcount", page.columns.length + (page.signs ? 1 : 0));
  setAttribute(g.scroller, "aria-multiselectable", page.editor ? "true" : null);
  g.scroller.style.maxHeight = `${g.model.get("height")}px`;
  showBar(g);
  resize(g);
  if (chooseColumns(g)) for (const [at, node] of g.nodes) dropNode(g, at, node);
  setWidths(g);
  paintHead(g);
}

function resize(g) {
  g.scroller.setAttribute("aria-rowcount", lastPlace(g) + 2);
  g.room.style.height = `${(lastPlace(g) + 1) * rowHeight(g)}px`;
  const last = lastPlace(g);
  g.active.row = Math.min(g.active.row, last);
  g.anchor.row = Math.min(g.anchor.row, last);
  g.active.column = between(0, g.active.column, Math.max(0, g.page.columns.length - 1));
  g.anchor.column = between(0, g.anchor.column, Math.max(0, g.page.columns.length - 1));
}

function takeChange(g, message) {
  rename(g, message.tokens);
  settle(g, message);
  if (message.version !== undefined) {
    const moved = message.version !== g.page.version;
    g.page = { ...g.page, version: message.version, count: message.count };
    g.stale = g.stale || moved || message.stale;
    for (const row of message.rows) g.rows.set(row.row, row);
    if (moved) resize(g);
    showFoot(g, message.foot);
    if (message.told) tell(g, message.told);
    else if ((moved || message.view === g.id) && Date.now() - g.toldAt > 4000) tell(g, "");
  }
  paint(g);
  const waits = message.view === g.id && g.moves === g.turnedAt && !g.editing;
  if (!message.view || waits) go(g, message.go, message.focus);
}

function takeAnswer(g, { version, first, rows }) {
  if (version !== g.page.version) return;
  if (g.stale) forgetOrder(g);
  g.stale = false;
  g.asked = "";
  takeRows(g, first, rows);
  follow(g);
  paint(g);
}

// If rows were added or removed above, the cell being edited stays the same.
function follow(g) {
  if (!g.editing || g.order.get(g.editing.at) === g.editing.row) return;
  for (const [place, row] of g.order) {
    if (row !== g.editing.row || g.editing.newLine) continue;
    g.editing.at = g.active.row = g.anchor.row = place;
    paint(g);
    const node = nodeAt(g, g.active);
    for (const other of g.room.querySelectorAll(".svc-editing")) other.classList.toggle("svc-editing", other === node);
    if (node) node.classList.add("svc-editing");
  }
}

function go(g, target, grab = false) {
  if (!target) return;
  const [, at, column] = target;
  const place = at === null ? -1 : at < 0 ? lines(g) : placeHere(g, at); // null is none, -1 a new row
  const to = column ?? (at < 0 ? firstToWrite(g) : g.active.column);
  if (place !== null) moveTo(g, place, to, { grab: (grab && isFocusFree(g.frame)) || hasFocus(g) });
  if (grab) requestAnimationFrame(() => {
    if (!hasFocus(g) && isFocusFree(g.frame)) focus(g); // the grid may not be on the page yet
    nodeAt(g, g.active)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  g.turnedAt = g.moves;
}

function hear(g, message) {
  if (message.kind === "page" && (!message.view || message.view === g.id)) takePage(g, message);
  if (!g.page) return;
  if (message.kind === "change") return takeChange(g, message);
  if (message.view !== g.id) return;
  if (message.kind === "rows") takeAnswer(g, message);
  if (message.kind === "text") takeText(g, message);
  if (message.kind === "refused") takeRefusal(g, message);
  if (message.kind === "copy") takeCopy(g, message);
}

function newGrid(model) {
  views += 1;
  const id = `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}${views}`;
  const known = { order: new Map(), rows: new Map(), written: new Map(), pending: [], nodes: new Map(), widths: {}, out: new Set(), every: false };
  const place = { active: { row: -1, column: 0 }, anchor: { row: -1, column: 0 }, editing: null, home: undefined };
  return { model, id, ...known, ...place, page: null, number: 0, tokens: 0, asked: "", stale: false, toldAt: 0, moves: 0, turnedAt: 0, endDrag: () => {} };
}

function render({ model, el }) {
  const g = newGrid(model);
  build(g);
  el.append(g.frame);
  listen(g);
  const heard = (message) => hear(g, message);
  const resized = () => g.page && (showPage(g), paint(g));
  const watch = new ResizeObserver(() => (fitColumns(g), paint(g)));
  watch.observe(g.scroller);
  model.on("msg:custom", heard);
  model.on("change:height", resized);
  const grabbed = () => setTimeout(() => g.page && isFocusFree(el) && focus(g)); // the active cell, not the first field
  model.on("focus", grabbed);
  model.send({ kind: "hello", view: g.id });
  return () => {
    finish(g, true);
    cancelAnimationFrame(g.next);
    clearTimeout(g.telling);
    clearTimeout(g.searching);
    g.endDrag();
    watch.disconnect();
    model.off("msg:custom", heard);
    model.off("change:height", resized);
    model.off("focus", grabbed);
  };
}

export default { render };
