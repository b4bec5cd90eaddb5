// A table of any length: only the rows in sight are there; the kernel has the others and hands them over when asked.

const ROW = 26;
const LETTER = 7.2;
const SPARE = 60;

function make(kind, name, text) {
  const node = document.createElement(kind);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  return node;
}

function render({ model, el }) {
  const frame = make("div", "svc-grid tex2jax_ignore mathjax_ignore");
  const head = make("div", "svc-head");
  const room = make("div", "svc-room");
  const said = make("div", "svc-said");
  const scroller = make("div", "svc-scroller");
  frame.setAttribute("role", "grid");
  head.setAttribute("role", "row");
  room.setAttribute("role", "rowgroup");
  scroller.append(head, room);
  frame.append(scroller);
  el.append(frame, said);

  let page, rows, asked;
  let place = { row: -1, column: 0 };
  let editor = null;

  // ---- the rows

  function take(first, found) {
    found.forEach((row, offset) => rows.set(first + offset, row));
  }
  function inSight() {
    const first = Math.max(0, Math.floor(scroller.scrollTop / ROW) - 4);
    return [first, Math.min(page.count, first + Math.ceil(scroller.clientHeight / ROW) + 8)];
  }
  function ask(first, last) {
    const lacks = (from, to) => Array.from({ length: to - from }, (_, at) => from + at).some((at) => !rows.has(at));
    if (!lacks(first, last)) return;
    const from = Math.max(0, first - SPARE);
    const to = Math.min(page.count, last + SPARE);
    const wanted = `${page.version} ${from} ${to}`;
    if (wanted === asked) return;
    asked = wanted;
    model.send({ kind: "rows", version: page.version, first: from, last: to });
  }
  function paint() {
    if (editor) return;
    const [first, last] = inSight();
    ask(first, last);
    const lines = [];
    for (let at = first; at < last; at++) lines.push(line(at));
    const held = frame.contains(document.activeElement) && document.activeElement.closest(".svc-room");
    room.replaceChildren(...lines);
    if (held) focus(false);
  }
  function line(at) {
    const row = rows.get(at);
    const node = make("div", "svc-row");
    node.setAttribute("role", "row");
    node.setAttribute("aria-rowindex", at + 2);
    node.style.top = `${at * ROW}px`;
    if (row && row.mark) node.classList.add(`svc-${row.mark}`);
    node.append(...page.columns.map((column, number) => cell(row ? row.cells[number] : "…", column, at, number)));
    return node;
  }
  function cell(text, column, at, number) {
    const node = make("div", `svc-cell svc-${column.kind}`, text);
    node.setAttribute("role", "gridcell");
    node.setAttribute("aria-colindex", number + 1);
    node.dataset.row = at;
    node.dataset.column = number;
    node.tabIndex = at === place.row && number === place.column ? 0 : -1;
    if (column.kind === "text") node.title = text;
    if (column.editable) node.classList.add("svc-editable");
    else node.setAttribute("aria-readonly", "true");
    return node;
  }

  // ---- the head

  function heading(column, number) {
    const node = make("div", `svc-cell svc-${column.kind}`, column.title);
    const [sorted, down] = page.sort || [];
    node.setAttribute("role", "columnheader");
    node.setAttribute("aria-colindex", number + 1);
    node.setAttribute("aria-sort", sorted === column.name ? (down ? "descending" : "ascending") : "none");
    node.dataset.row = -1;
    node.dataset.column = number;
    node.title = `Sort by ${column.title}`;
    node.tabIndex = place.row === -1 && place.column === number ? 0 : -1;
    return node;
  }
  function show() {
    close();
    const fresh = !page || page.version !== model.get("page").version;
    const grouped = page && page.group === model.get("page").group;
    page = model.get("page");
    if (fresh) rows = new Map();
    asked = null;
    take(0, page.rows);
    place.row = Math.min(place.row, page.count - 1);
    place.column = Math.max(0, Math.min(place.column, page.columns.length - 1));
    const widths = page.columns.map(({ width }) => Math.round(width * LETTER) + 16);
    frame.style.setProperty("--svc-columns", widths.map((width) => `minmax(${width}px, ${width}fr)`).join(" "));
    frame.style.setProperty("--svc-width", `${widths.reduce((sum, width) => sum + width, 0)}px`);
    frame.setAttribute("aria-rowcount", page.count + 1);
    frame.setAttribute("aria-colcount", page.columns.length);
    frame.setAttribute("aria-label", page.title);
    const held = head.contains(document.activeElement);
    head.replaceChildren(...page.columns.map(heading));
    if (held) focus(false);
    room.style.height = `${page.count * ROW}px`;
    scroller.style.maxHeight = `${model.get("height")}px`;
    if (!grouped) scroller.scrollTop = 0;
    said.textContent = page.said;
    frame.hidden = !page.columns.length;
    paint();
  }
  const sort = (number) => model.send({ kind: "sort", column: page.columns[number].name });

  // ---- moving about

  const at = ({ row, column }) => frame.querySelector(`[data-row="${row}"][data-column="${column}"]`);
  function focus(reveal = true) {
    if (reveal && place.row >= 0) {
      const top = place.row * ROW;
      const space = scroller.clientHeight - head.offsetHeight;
      if (top < scroller.scrollTop) scroller.scrollTop = top;
      else if (top + ROW > scroller.scrollTop + space) scroller.scrollTop = top + ROW - space;
      paint();
    }
    const node = at(place);
    if (!node) return;
    for (const other of frame.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    node.tabIndex = 0;
    node.focus({ preventScroll: place.row < 0 });
  }
  function move(row, column) {
    place = {
      row: Math.max(-1, Math.min(page.count - 1, row)),
      column: Math.max(0, Math.min(page.columns.length - 1, column)),
    };
    focus();
  }
  function leap({ key, ctrlKey }) {
    const { row, column } = place;
    const screen = Math.max(1, Math.floor(scroller.clientHeight / ROW) - 2);
    const ends = page.columns.length - 1;
    return {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [Math.max(0, row - screen), column],
      PageDown: [row + screen, column],
      Home: ctrlKey ? [0, 0] : [row, 0],
      End: ctrlKey ? [page.count - 1, ends] : [row, ends],
    }[key];
  }
  frame.addEventListener("keydown", (event) => {
    event.stopPropagation(); // a key pressed here is no shortcut of the notebook
    if (editor || event.altKey || event.metaKey) return;
    const target = leap(event);
    if (target) move(...target);
    else if (event.key === "Enter" || event.key === " " || event.key === "F2") {
      if (place.row < 0) sort(place.column);
      else edit();
    } else if (event.key.length === 1 && !event.ctrlKey && place.row >= 0 && edit(event.key)) {
    } else return;
    event.preventDefault();
  });
  frame.addEventListener("click", (event) => {
    const node = event.target.closest("[data-row]");
    if (!node || editor) return;
    place = { row: Number(node.dataset.row), column: Number(node.dataset.column) };
    focus();
    if (place.row < 0) sort(place.column);
    else edit();
  });

  // ---- writing

  function edit(typed) {
    const column = page.columns[place.column];
    const node = at(place);
    if (!column.editable || !node || !rows.has(place.row)) return false;
    const before = rows.get(place.row).cells[place.column];
    editor = make("input", "svc-editor");
    editor.value = typed === undefined ? before : typed;
    editor.setAttribute("aria-label", column.title);
    const mine = { row: place.row, column: place.column, version: page.version, before };
    const end = (keep) => {
      if (!editor) return;
      const text = editor.value.trim();
      close();
      if (keep && text !== mine.before)
        model.send({ kind: "edit", version: mine.version, row: mine.row, column: column.name, text });
    };
    editor.addEventListener("blur", () => end(true));
    editor.addEventListener("keydown", (event) => {
      if (!["Enter", "Escape", "Tab"].includes(event.key)) return;
      event.preventDefault();
      event.stopPropagation();
      end(event.key !== "Escape");
      if (event.key === "Enter") move(mine.row + 1, mine.column);
      else focus();
    });
    node.replaceChildren(editor);
    editor.focus();
    if (typed === undefined) editor.select();
    return true;
  }
  function close() {
    if (!editor) return;
    editor = null; // first: taking it away makes it lose the focus
    paint();
  }

  // ---- the kernel's answers

  function hear(message) {
    if (message.kind !== "rows" || message.version !== page.version) return;
    take(message.first, message.rows);
    paint();
  }
  let next = 0;
  scroller.addEventListener("scroll", () => {
    cancelAnimationFrame(next);
    next = requestAnimationFrame(paint);
  });
  const watch = new ResizeObserver(() => page && paint());
  watch.observe(scroller);
  model.on("change:page change:height", show);
  model.on("msg:custom", hear);
  show();
  return () => {
    cancelAnimationFrame(next);
    watch.disconnect();
    model.off("change:page change:height", show);
    model.off("msg:custom", hear);
  };
}

export default { render };
