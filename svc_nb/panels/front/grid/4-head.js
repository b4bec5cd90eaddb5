// The headings: they sort, and their edges set the widths of the columns.

function heading(g, column, number) {
  const node = make("div", `svc-cell svc-${column.kind}`, column.title);
  node.hidden = g.out.has(number);
  const [sorted, down] = g.page.sort || [];
  node.setAttribute("role", "columnheader");
  node.setAttribute("aria-colindex", number + 1 + (g.page.signs ? 1 : 0));
  node.setAttribute("aria-sort", sorted === column.name ? (down ? "descending" : "ascending") : "none");
  node.dataset.row = -1;
  node.dataset.column = number;
  node.title = `Sort by ${column.title}`;
  node.tabIndex = -1;
  const edge = make("span", "svc-edge");
  edge.title = "Drag to resize; double-click to fit";
  edge.setAttribute("aria-hidden", "true"); // not part of the heading's name
  node.append(edge);
  return node;
}

function corner() {
  const node = make("div", "svc-cell svc-number-cell");
  node.setAttribute("role", "columnheader");
  node.setAttribute("aria-colindex", 1);
  node.setAttribute("aria-label", "Row");
  return node;
}

function paintHead(g) {
  const held = g.head.contains(focused());
  const headings = g.page.columns.map((column, number) => heading(g, column, number));
  g.head.replaceChildren(...(g.page.signs ? [corner()] : []), ...headings);
  if (held) focus(g, { reveal: false });
}

function gutter(g) {
  return g.page.signs ? (g.page.editor ? NUMBERS : GUTTER) : 0;
}

function shownColumns(g) {
  return g.page.columns.map((_, number) => number).filter((number) => !g.out.has(number));
}

function wide(letters) {
  return Math.round(letters * LETTER) + 16;
}

function leastWidth(g, numbers) {
  const least = (number) => g.widths[g.page.columns[number].name] || wide(g.page.columns[number].least);
  return numbers.reduce((sum, number) => sum + least(number), gutter(g));
}

function setWidths(g) {
  const shown = shownColumns(g);
  const tracks = shown.map((number) => {
    const { name, kind, least, width } = g.page.columns[number];
    if (kind === "code" && !g.widths[name]) return `${wide(least)}px`;
    return g.widths[name] ? `${g.widths[name]}px` : `minmax(${wide(least)}px, ${wide(width)}fr)`;
  });
  g.scroller.style.setProperty("--svc-columns", [...(gutter(g) ? [`${gutter(g)}px`] : []), ...tracks].join(" "));
  g.scroller.style.setProperty("--svc-width", `${leastWidth(g, shown)}px`);
}

// ---- the columns that fit

function withoutRoom(g) {
  const kept = g.page.columns.map((_, number) => number);
  const spare = kept.filter((number) => g.page.columns[number].spare);
  spare.sort((one, other) => g.page.columns[one].spare - g.page.columns[other].spare);
  const out = new Set();
  while (g.scroller.clientWidth && spare.length && leastWidth(g, kept) > g.scroller.clientWidth) {
    out.add(spare.pop());
    kept.splice(0, kept.length, ...kept.filter((number) => !out.has(number)));
  }
  return out;
}

// Leave out columns that do not fit, and say so; returns whether the choice changed.
function chooseColumns(g) {
  const without = withoutRoom(g);
  const out = g.every ? new Set() : without;
  const titles = [...without].sort((one, other) => one - other).map((number) => g.page.columns[number].title);
  g.more.hidden = !titles.length;
  g.more.textContent = g.every ? "Show only the columns that fit" : `Also show: ${titles.join(", ")}`;
  const changed = [...out].join() !== [...g.out].join();
  g.out = out;
  if (out.has(g.active.column)) g.active.column = g.anchor.column = shownColumns(g).at(-1) || 0;
  return changed;
}

// Lay out the columns again if others fit.
function fitColumns(g) {
  if (!g.page || g.editing || !chooseColumns(g)) return;
  const held = hasFocus(g);
  for (const [at, node] of g.nodes) dropNode(g, at, node);
  setWidths(g);
  paintHead(g);
  paint(g);
  if (held) focus(g, { reveal: false });
}

function headNode(g, number) {
  return g.head.querySelector(`[data-column="${number}"]`);
}

function setWidth(g, number, width) {
  // The others stay as wide as they are.
  g.page.columns.forEach(({ name }, at) => (g.widths[name] = g.widths[name] || headNode(g, at).offsetWidth));
  g.widths[g.page.columns[number].name] = Math.max(NARROWEST, Math.round(width));
  setWidths(g);
}

function fitWidth(g, number) {
  const ruler = make("canvas").getContext("2d");
  ruler.font = getComputedStyle(g.scroller).font;
  const texts = [...g.room.querySelectorAll(`[data-column="${number}"]`)].map((node) => node.firstChild.data);
  const widest = Math.max(0, ...texts.map((text) => ruler.measureText(text).width));
  const title = ruler.measureText(g.page.columns[number].title).width * 1.15 + 24;
  setWidth(g, number, Math.max(widest + 20, title));
}

function dragWidth(g, event, number) {
  const from = event.clientX;
  const width = headNode(g, number).offsetWidth;
  const drag = (moved) => setWidth(g, number, width + moved.clientX - from);
  const end = () => {
    document.removeEventListener("mousemove", drag);
    document.removeEventListener("mouseup", end);
  };
  document.addEventListener("mousemove", drag);
  document.addEventListener("mouseup", end);
  g.endDrag = end;
}

function sortBy(g, number) {
  g.model.send({ kind: "sort", column: g.page.columns[number].name });
}
