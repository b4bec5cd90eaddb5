// What this view knows about the rows: the kernel's version, overlaid with edits here that are not answered yet.
// g.order has the row at each position, g.rows each row. g.written has texts by row and column until the action that
// wrote them is answered; g.pending has the rows that were added and deleted here until then.

function lines(g) {
  return g.pending.reduce((sum, { added, size }) => sum + (added ? size : -size), g.page.count);
}

function lastPlace(g) {
  return lines(g) - (g.page.editor ? 0 : 1);
}

function isNewLine(g, at) {
  return Boolean(g.page.editor) && at === lines(g);
}

function rowAt(g, at) {
  return g.rows.get(g.order.get(at));
}

function cellKey(row, column) {
  return `${row}\n${column}`;
}

function textOf(g, row, number) {
  const written = g.written.get(cellKey(row.row, g.page.columns[number].name));
  return written ? written.text : row.cells[number] || "";
}

function isCut(g, row, number) {
  return Boolean(row.cut && row.cut.includes(number) && !g.written.has(cellKey(row.row, g.page.columns[number].name)));
}

// Send an action that changes rows: its number is repeated in its answer.
function deed(g, message) {
  g.number += 1;
  const { version, table } = g.page;
  g.model.send({ ...message, view: g.id, n: g.number, version, table });
  return g.number;
}

function echo(g, number, at, column, text) {
  const row = rowAt(g, at);
  if (row) g.written.set(cellKey(row.row, g.page.columns[column].name), { text, number });
}

// ---- positions: the kernel's, and those here, with rows waiting to be added or deleted

function placeHere(g, place) {
  for (const { added, at, size } of g.pending) {
    if (place === null || place < at) continue;
    if (added) place += size;
    else place = place < at + size ? null : place - size;
  }
  return place;
}

function makeRoom(g, at, size) {
  g.order = new Map([...g.order].map(([place, row]) => [place >= at ? place + size : place, row]));
}

function closeRoom(g, at, size) {
  const stay = [...g.order].filter(([place]) => place < at || place >= at + size);
  g.order = new Map(stay.map(([place, row]) => [place >= at ? place - size : place, row]));
}

// ---- answers

function takeRows(g, first, rows) {
  rows.forEach((row, offset) => {
    const place = placeHere(g, first + offset);
    g.rows.set(row.row, row);
    if (place !== null) g.order.set(place, row.row);
  });
}

function forgetOrder(g) {
  const named = [...g.order].filter(([, row]) => typeof row === "string");
  g.order = new Map(named);
}

function rename(g, tokens) {
  for (const [token, row] of Object.entries(tokens || {})) {
    for (const [place, there] of g.order) if (there === token) g.order.set(place, row);
    if (g.rows.has(token)) g.rows.set(row, { ...g.rows.get(token), row });
    g.rows.delete(token);
    for (const { name } of g.page.columns) {
      const written = g.written.get(cellKey(token, name));
      if (written) g.written.set(cellKey(row, name), written);
      g.written.delete(cellKey(token, name));
    }
    if (g.editing && g.editing.row === token) g.editing.row = row;
  }
}

function settle(g, { view, done }) {
  if (view !== g.id || !done) return;
  g.pending = g.pending.filter(({ number }) => number > done);
  for (const [key, { number }] of g.written) if (number <= done) g.written.delete(key);
}

// ---- requests

function inSight(g) {
  const first = Math.max(0, Math.floor(g.scroller.scrollTop / rowHeight(g)) - 4);
  const height = g.scroller.clientHeight || g.model.get("height");
  return [first, Math.min(lastPlace(g) + 1, first + Math.ceil(height / rowHeight(g)) + 8)];
}

function ask(g, first, last) {
  const end = Math.min(last, lines(g));
  let lacks = g.stale;
  for (let at = first; at < end && !lacks; at++) lacks = !g.order.has(at);
  if (!lacks) return;
  const from = Math.max(0, first - SPARE);
  const to = end + SPARE;
  const wanted = `${g.page.table} ${g.page.version} ${from} ${to} ${g.stale}`;
  if (wanted === g.asked) return;
  g.asked = wanted;
  g.model.send({ kind: "rows", view: g.id, table: g.page.table, version: g.page.version, first: from, last: to });
}
