// The rows in view as nodes. A node stays while its position is in view, so that the focus stays too.

function paint(g) {
  if (!g.page) return;
  const [first, last] = inSight(g);
  ask(g, first, last);
  const places = [];
  for (let at = first; at < last; at++) places.push(at);
  const held = hasFocus(g);
  const active = g.active.row; // always there, for the keyboard
  if (active >= 0 && active < first) places.unshift(active);
  if (active >= last) places.push(active);
  const wanted = new Set(places);
  for (const [at, node] of g.nodes) if (!wanted.has(at)) dropNode(g, at, node);
  let next = g.room.firstChild;
  for (const at of places) {
    const node = g.nodes.get(at) || newLine(g, at);
    if (node === next) next = next.nextSibling;
    else g.room.insertBefore(node, next);
    fillLine(g, node, at);
  }
  seat(g);
  if (held && !hasFocus(g)) focus(g, { reveal: false }); // its row was removed
}

function dropNode(g, at, node) {
  g.nodes.delete(at);
  node.remove();
}

function newLine(g, at) {
  const node = make("div", "svc-row");
  node.setAttribute("role", "row");
  node.style.top = `${at * rowHeight(g)}px`;
  if (g.page.signs) node.append(newNumber(at));
  g.page.columns.forEach((column, number) => node.append(newCell(g, column, at, number)));
  g.nodes.set(at, node);
  return node;
}

function newNumber(at) {
  const node = make("div", "svc-cell svc-number-cell");
  node.setAttribute("role", "rowheader");
  node.setAttribute("aria-colindex", 1);
  node.dataset.row = at;
  node.append(make("span", "svc-sign"), make("span", "svc-row-number"));
  return node;
}

function newCell(g, column, at, number) {
  const node = make("div", `svc-cell svc-${column.kind}`);
  node.setAttribute("role", "gridcell");
  node.hidden = g.out.has(number);
  node.setAttribute("aria-colindex", number + 1 + (g.page.signs ? 1 : 0));
  node.dir = "auto";
  node.dataset.row = at;
  node.dataset.column = number;
  node.tabIndex = -1;
  if (column.editable) node.classList.add("svc-editable");
  else node.setAttribute("aria-readonly", "true");
  node.append(document.createTextNode(""));
  return node;
}

// ---- the content of a line

function lineOf(g, at) {
  if (isNewLine(g, at)) return { row: "", cells: [], state: "", mark: "", note: "", newLine: true };
  const row = rowAt(g, at);
  return row || { row: "", cells: g.page.columns.map(() => "…"), state: "", mark: "", note: "", waits: true };
}

function fillLine(g, node, at) {
  const line = lineOf(g, at);
  const texts = g.page.columns.map((_, number) => (line.newLine || line.waits ? line.cells[number] : textOf(g, line, number)));
  const block = blockOf(g);
  const here = at >= block.top && at <= block.bottom;
  const open = at === g.editing?.at && g.editing.column;
  const refused = g.page.columns.map(({ name }) => refusedAt(g, line.row, name));
  const looks = [at, line.row, line.number, texts, open, refused, line.mark, line.wrong, line.state, line.note, here && [block.left, block.right], at === g.active.row && g.active.column, lines(g)];
  const sign = JSON.stringify(looks);
  if (node.svcSign === sign) return;
  node.svcSign = sign;
  dress(node, at, line);
  const cells = [...node.children];
  const first = line.newLine ? firstToWrite(g) : 0;
  if (g.page.signs) fillNumber(g, cells.shift(), line);
  cells.forEach((cell, number) => {
    const selected = here && number >= block.left && number <= block.right;
    const what = { line, text: texts[number], number, selected, first: number === first };
    fillCell(g, cell, { ...what, open: open === number, refused: refused[number] });
  });
}

function dress(node, at, line) {
  const names = ["svc-row", line.mark && `svc-${line.mark}`, line.state && `svc-${line.state}`, line.newLine && "svc-new-line"];
  node.className = names.filter(Boolean).join(" ");
  node.setAttribute("aria-rowindex", at + 2);
  setAttribute(node, "aria-description", line.note);
}

// Rows of a book are numbered from 1, whatever is in view; other rows only have a sign.
function fillNumber(g, node, line) {
  const words = [line.mark, line.state].filter((mark) => mark in WORDS);
  const number = (g.page.editor && line.number) || "";
  const names = [number && `Row ${number}`, ...words.map((mark) => WORDS[mark])].filter(Boolean);
  node.firstChild.textContent = words.map((mark) => SIGNS[mark]).join("");
  node.lastChild.textContent = line.newLine ? "+" : number;
  setAttribute(node, "aria-label", line.newLine ? "New row" : names.join(", "));
  setAttribute(node, "aria-description", line.note);
  setAttribute(node, "title", [line.note, words.map((mark) => WORDS[mark]).join(", ")].filter(Boolean).join("\n"));
}

// A bar is full at 100 %, and warns above that: "203 %", "> 999 %".
function fillShare(node, shown) {
  const part = (parseFloat(shown.replace(/[,<> ]/g, "")) || 0) / 100;
  node.style.setProperty("--svc-share", Math.min(1, part));
  node.classList.toggle("svc-over", part > 1);
}

// Text being typed is in the pen; rejected text waits in its cell until it is corrected or dropped.
function fillCell(g, node, { line, text, number, selected, first, open, refused }) {
  const hint = line.newLine && first ? (g.empty && g.page.hint) || "Type here to add a row" : "";
  const wrong = line.mark && (!line.wrong?.length || line.wrong.includes(number));
  const shown = open ? "" : oneLine(refused?.text || text || "") || hint;
  if (node.firstChild.data !== shown) node.firstChild.data = shown;
  if (g.page.columns[number].kind === "share") fillShare(node, shown);
  node.classList.toggle("svc-hint", Boolean(hint));
  node.classList.toggle("svc-selected", selected);
  if (g.page.editor) node.setAttribute("aria-selected", selected);
  node.classList.toggle("svc-wrong", Boolean(refused || (wrong && line.wrong?.length)));
  setAttribute(node, "aria-invalid", refused || (wrong && line.mark === "error") ? "true" : null);
  setAttribute(node, "aria-description", refused?.why || line.note);
  const whole = g.page.columns[number].kind === "text" ? text : "";
  setAttribute(node, "title", [refused?.why, line.note, whole].filter(Boolean).join("\n"));
}
