// The headings: they sort, and their edges set the widths of the columns.

function heading(g, column, number) {
  const node = make("div", `svc-cell svc-${column.kind}`, column.title);
  const [sorted, down] = g.page.sort || [];
  node.setAttribute("role", "columnheader");
  node.setAttribute("aria-colindex", number + 1 + (g.page.signs ? 1 : 0));
  node.setAttribute("aria-sort", sorted === column.name ? (down ? "descending" : "ascending") : "none");
  node.dataset.row = -1;
  node.dataset.column = number;
  node.title = `Sort by ${column.title}`;
  node.tabIndex = -1;
  const edge = make("span", "svc-edge");
  edge.title = "Drag to set the width; double click fits";
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
  const held = g.head.contains(document.activeElement);
  const headings = g.page.columns.map((column, number) => heading(g, column, number));
  g.head.replaceChildren(...(g.page.signs ? [corner()] : []), ...headings);
  if (held) focus(g, { reveal: false });
}

function setWidths(g) {
  const widths = g.page.columns.map(({ width }) => Math.round(width * LETTER) + 16);
  const tracks = g.page.columns.map(({ name }, number) => {
    const chosen = g.widths[name];
    return chosen ? `${chosen}px` : `minmax(${widths[number]}px, ${widths[number]}fr)`;
  });
  const sum = g.page.columns.reduce((all, { name }, number) => all + (g.widths[name] || widths[number]), 0);
  const numbers = g.page.signs ? NUMBERS : 0;
  g.scroller.style.setProperty("--svc-columns", [...(numbers ? [`${numbers}px`] : []), ...tracks].join(" "));
  g.scroller.style.setProperty("--svc-width", `${sum + numbers}px`);
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
