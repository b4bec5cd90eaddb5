// Rows of before and after, or of mine and theirs with a choice for each; all of it text.

// Text that is only on one side is marked by lines as well as by colour.
const KINDS = { removed: "del", added: "ins", same: "span" };
const partNode = ([text, kind]) => make(KINDS[kind], `svc-part-${kind}`, text);

function cellNode([text, hint, kind]) {
  const cell = make("td", kind ? `svc-cell-${kind}` : "");
  cell.append(...(Array.isArray(text) ? text.map(partNode) : [text]));
  cell.dir = "auto";
  if (hint) cell.title = hint;
  return cell;
}

function sideNode(group, side, row, place, send) {
  const cell = make("td");
  const label = make("label", "svc-side");
  const radio = make("input");
  radio.type = "radio";
  radio.name = group;
  radio.checked = row.choice === side;
  radio.setAttribute("aria-label", `${side === "mine" ? "Here" : "On the service"}, row ${place + 1}: ${row[side][0]}`);
  radio.addEventListener("change", () => send({ kind: "choose", place, whose: side }));
  const text = make("span", "", row[side][0]);
  text.dir = "auto";
  if (row[side][1]) label.title = row[side][1];
  label.append(radio, text);
  cell.append(label);
  return cell;
}

function rowNode(row, place, state, send) {
  const node = make("tr", `svc-row-${row.kind}`);
  node.append(...row.cells.map(cellNode));
  if (!state.choosing) return node;
  const group = unique("clash");
  node.append(...["mine", "theirs"].map((side) => sideNode(group, side, row, place, send)));
  return node;
}

function render({ model, el }) {
  const root = make("div", "svc-compare");
  const said = make("div", "svc-compare-said");
  const frame = make("div", "svc-compare-frame");
  const table = make("table");
  const head = make("thead");
  const body = make("tbody");
  const state = { columns: [], rows: [], said: "", title: "", choosing: false };
  frame.tabIndex = 0;
  frame.setAttribute("role", "region");
  table.append(head, body);
  frame.append(table);
  root.append(said, frame);
  const send = (message) => model.send(message);

  function refresh() {
    said.textContent = state.said;
    frame.setAttribute("aria-label", state.title);
    table.setAttribute("aria-label", state.title);
    frame.hidden = !state.rows.length;
    const names = make("tr");
    for (const name of state.columns) {
      const cell = make("th", "", name);
      cell.scope = "col";
      names.append(cell);
    }
    head.replaceChildren(names);
    body.replaceChildren(...state.rows.map((row, place) => rowNode(row, place, state, send)));
  }
  function shown(message) {
    const same = Object.keys(message).every((name) => ["kind", "choices"].includes(name));
    for (const name of Object.keys(state)) if (message[name] !== undefined) state[name] = message[name];
    if (message.choices) message.choices.forEach((choice, place) => state.rows[place] && (state.rows[place].choice = choice));
    if (!same) return refresh();
    body.querySelectorAll("tr").forEach((row, place) => {
      row.querySelectorAll("input").forEach((radio, side) => (radio.checked = state.rows[place].choice === ["mine", "theirs"][side]));
    });
  }
  return listen({ model, el }, root, shown);
}

export default { render };
