// Blocks of cells: copy, cut and paste as in a spreadsheet, clear, fill down; add and delete rows.

// A cell is quoted if it contains a tab, a line break or a quote, which is doubled; other quotes belong to the cell.
function readBlock(text) {
  const rows = [[]];
  let at = 0;
  const end = text.length - (text.endsWith("\r\n") ? 2 : /[\r\n]$/.test(text) ? 1 : 0);
  while (at <= end) {
    const [cell, next] = readQuoted(text, at, end) || readPlain(text, at, end);
    rows[rows.length - 1].push(cell);
    if (next >= end) break;
    if (text[next] !== "\t") rows.push([]);
    at = next + (text.startsWith("\r\n", next) ? 2 : 1);
  }
  return rows;
}

function readPlain(text, at, end) {
  let next = at;
  while (next < end && !"\t\r\n".includes(text[next])) next += 1;
  return [text.slice(at, next), next];
}

function readQuoted(text, at, end) {
  if (text[at] !== '"') return null;
  let close = at + 1;
  for (; close < end; close++) {
    if (text[close] !== '"') continue;
    if (text[close + 1] !== '"' || close + 1 >= end) break;
    close += 1;
  }
  const inner = text.slice(at + 1, close);
  const ends = close < end && (close + 1 === end || "\t\r\n".includes(text[close + 1]));
  return ends && /[\t\r\n]|""/.test(inner) ? [inner.replaceAll('""', '"'), close + 1] : null;
}

function writeBlock(rows) {
  const cell = (text) => (/[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((cells) => cells.map(cell).join("\t")).join("\n");
}

// ---- the selected block

function columnsOf(g) {
  const { left, right } = blockOf(g);
  return g.page.columns.slice(left, right + 1).map(({ name }) => name);
}

function span(g) {
  const { top, bottom } = blockOf(g);
  const last = bottom > top ? Math.min(bottom, lines(g) - 1) : bottom;
  return { from: endAt(g, top), to: endAt(g, last), columns: columnsOf(g) };
}

function textsHere(g) {
  const { top, bottom, left, right } = blockOf(g);
  const rows = [];
  for (let at = top; at <= Math.min(bottom, lines(g) - 1); at++) {
    const row = rowAt(g, at);
    if (!row) return null;
    const cells = [];
    for (let number = left; number <= right; number++) {
      if (isCut(g, row, number)) return null;
      cells.push(textOf(g, row, number));
    }
    rows.push(cells);
  }
  return rows;
}

// Whether the block is in the clipboard now; otherwise its rows are requested.
function copy(g, event) {
  if (g.editing || g.active.row < 0) return false;
  event.preventDefault();
  const asked = JSON.stringify([span(g), g.page.version]);
  const rows = textsHere(g) || (g.fetched?.asked === asked ? g.fetched.rows : null);
  if (rows) {
    event.clipboardData.setData("text/plain", writeBlock(rows));
    return true;
  }
  const { version, table } = g.page;
  g.model.send({ kind: "copy", view: g.id, ask: asked, ...span(g), version, table });
  tell(g, "Fetching the rows …");
  return false;
}

// Missing rows have arrived; browsers that do not allow writing to the clipboard later need the keys again.
async function takeCopy(g, { ask: asked, rows }) {
  g.fetched = { asked, rows };
  try {
    await navigator.clipboard.writeText(writeBlock(rows));
    tell(g, `${rows.length === 1 ? "1 row" : `${rows.length.toLocaleString("en")} rows`} copied`);
  } catch {
    tell(g, "Rows loaded. Press Ctrl-C again to copy them.");
  }
}

function cut(g, event) {
  if (g.page.editor && copy(g, event)) clearBlock(g, "Cut");
}

// Browsers only cut if text is selected, but copy anywhere.
function cutByKey(g) {
  g.cutting = true;
  document.execCommand("copy");
  g.cutting = false;
}

function paste(g, event) {
  if (g.editing || g.active.row < 0) return;
  const text = wellFormed(event.clipboardData.getData("text/plain"));
  if (!g.page.editor) return pasteBelow(g, event, text);
  event.preventDefault();
  if (text.length > MOST_PASTED) return tell(g, "Too much to paste. Import it as a file.");
  if (text) pasteBlock(g, readBlock(text));
}

// If cells are edited one by one, a column of numbers goes into the cells below; a text stays in its cell.
function pasteBelow(g, event, text) {
  const { row: first, column } = g.active;
  const { kind, name } = g.page.columns[column];
  const block = readBlock(text).slice(0, lines(g) - first);
  if (kind !== "number" || block.length < 2 || !canWrite(g)) return;
  event.preventDefault();
  const rows = block.map((_, offset) => rowAt(g, first + offset)?.row ?? { at: first + offset, version: g.page.version });
  deed(g, { kind: "write", cells: block.map(([cell], offset) => [rows[offset], name, cell]) });
}

function pasteBlock(g, block) {
  const { top, bottom, left, right } = blockOf(g);
  const width = block.reduce((most, cells) => Math.max(most, cells.length), 0);
  const number = deed(g, { kind: "paste", ...span(g), block });
  const one = block.length === 1 && width === 1;
  const below = one ? bottom : top + block.length - 1;
  for (const at of g.nodes.keys()) {
    if (at < top || at > below || isNewLine(g, at)) continue;
    const texts = one ? Array(right - left + 1).fill(block[0][0]) : block[at - top];
    texts.forEach((text, offset) => g.page.columns[left + offset]?.editable && echo(g, number, at, left + offset, text));
  }
  if (!one) spread(g, { top, left, bottom: below, right: left + width - 1 });
  paint(g);
}

function spread(g, { top, left, bottom, right }) {
  g.active = { row: top, column: left };
  g.anchor = { row: bottom, column: Math.min(right, g.page.columns.length - 1) };
  tellSelection(g);
}

function clearBlock(g, step) {
  if (g.active.row < 0) return false;
  if (!g.page.editor) return clearCell(g);
  const { top, bottom, left, right } = blockOf(g);
  if (isNewLine(g, top)) return true;
  const number = deed(g, { kind: "clear", ...span(g), step: typeof step === "string" ? step : "Clear" });
  for (const at of g.nodes.keys())
    for (let column = left; at >= top && at <= bottom && column <= right; column++)
      if (g.page.columns[column].editable) echo(g, number, at, column, "");
  paint(g);
  return true;
}

// If cells are edited one by one.
function clearCell(g) {
  const { row: at, column } = g.active;
  const line = lineOf(g, at);
  if (!canWrite(g) || g.page.columns[column].options.length || !textOf(g, line, column)) return false;
  commit(g, { at, column, row: line.row }, "");
  paint(g);
  return true;
}

function fillDown(g) {
  if (g.active.row < 0 || isNewLine(g, blockOf(g).top)) return;
  finish(g, true);
  deed(g, { kind: "fill", ...span(g) });
}

// ---- rows

function addRow(g, { at, after, cells }) {
  g.tokens += 1;
  const token = `${g.id}-${g.tokens}`;
  makeRoom(g, at, 1);
  const next = after === null ? undefined : g.rows.get(after)?.number + 1; // at the end the kernel knows
  for (const row of g.rows.values()) if (row.number >= next) row.number += 1;
  g.order.set(at, token);
  g.rows.set(token, { row: token, number: next, cells: g.page.columns.map(({ name }) => cells[name] || ""), state: "new" });
  const number = deed(g, { kind: "add", token, after, cells });
  g.pending.push({ number, added: true, at, size: 1 });
  resize(g);
}

function addBelow(g) {
  const top = Math.min(g.active.row, lines(g) - 1);
  const after = top < 0 ? undefined : g.order.get(top);
  addRow(g, { at: after === undefined ? lines(g) : top + 1, after: after ?? null, cells: {} });
  moveTo(g, after === undefined ? lines(g) - 1 : top + 1, firstToWrite(g));
}

function dropBlock(g) {
  const { top, bottom } = blockOf(g);
  const size = Math.min(bottom, lines(g) - 1) - top + 1;
  if (top < 0 || size < 1) return;
  finish(g, false); // its row is removed
  const number = deed(g, { kind: "drop", ...span(g) });
  closeRoom(g, top, size);
  g.pending.push({ number, added: false, at: top, size });
  resize(g);
  moveTo(g, top, g.active.column, { grab: hasFocus(g) });
}

// The answer goes to the change, unless the user has moved elsewhere by then.
function turnBack(g, kind) {
  finish(g, true);
  g.turnedAt = g.moves;
  deed(g, { kind });
}
