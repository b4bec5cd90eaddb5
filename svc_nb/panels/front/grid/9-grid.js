// The grid as a whole: it asks for a page when it is there, and follows what the kernel says.

function build(g) {
  g.frame = make("div", "svc-grid tex2jax_ignore mathjax_ignore");
  g.frame.dataset.lmSuppressShortcuts = "true"; // a key pressed here is no shortcut of the notebook
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
  for (const name of ["keydown", "keypress", "keyup", "copy", "cut", "paste"])
    g.frame.addEventListener(name, (event) => event.stopPropagation());
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

// ---- what the kernel says

function takePage(g, page) {
  const before = g.page;
  const alike = before && before.group === page.group && before.signs === page.signs;
  const same = alike && before.table === page.table;
  const held = hasFocus(g);
  if (g.editing && !same) finish(g, false);
  const editing = g.editing;
  g.page = page;
  g.asked = "";
  const [first, last] = g.frame.hidden ? [0, 0] : inSight(g);
  g.stale = Boolean(same) && last > page.rows.length && page.count > page.rows.length;
  if (!same) forget(g);
  if (!g.stale) {
    forgetOrder(g);
    takeRows(g, 0, page.rows);
  }
  if (!before) g.active = { row: page.editor && page.count ? 0 : -1, column: 0 };
  if (editing && g.order.get(editing.at) !== editing.row) finish(g, true);
  if (before && before.group !== page.group) g.scroller.scrollTop = 0;
  showPage(g);
  if (!editing) g.anchor = { ...g.active };
  showFoot(g, page.foot);
  paint(g);
  if (held && !g.editing) focus(g, { reveal: false });
  if (held) tellSelection(g);
  go(g, page.go);
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
  g.room.style.height = `${(lastPlace(g) + 1) * ROW}px`;
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
    else if (message.view === g.id && Date.now() - g.toldAt > 4000) tell(g, "");
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

// Where rows came or went above, the cell that is being written stays the one it was.
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
  const place = placeHere(g, target[1]);
  if (place !== null) moveTo(g, place, g.active.column, { grab: grab || hasFocus(g) });
  g.turnedAt = g.moves;
}

function hear(g, message) {
  if (message.kind === "page" && (!message.view || message.view === g.id)) takePage(g, message);
  if (!g.page) return;
  if (message.kind === "change") return takeChange(g, message);
  if (message.view !== g.id) return;
  if (message.kind === "rows") takeAnswer(g, message);
  if (message.kind === "text") takeText(g, message);
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
  };
}

export default { render };
