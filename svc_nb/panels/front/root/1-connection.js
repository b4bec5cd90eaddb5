// All parts of a panel over one connection: a model for each, and actions still waiting for the kernel.

const PATIENCE = 400; // milliseconds after which the panel says that a click is waiting
const BUSY_PATIENCE = 80; // if the kernel is known to be busy
const LOST = 3000; // milliseconds after which an idle kernel cannot have received it
const LONGEST = 60000; // between two retries
const connections = new Map();

// What the module of a part gets: the part of a widget's model that it uses.
class PartModel {
  // The state it is made from may be saved in a notebook, so it follows the content, except for user texts.
  constructor(connection, id, described) {
    const [front, state, unsaved] = described;
    Object.assign(this, { connection, id, front, state: {}, saved: {}, unsaved, listeners: new Map(), dirty: new Set(), waiting: [] });
    for (const name of unsaved) this.saved[name] = "";
    this.keep(state);
    described[1] = this.saved;
  }
  get(name) {
    return this.state[name];
  }
  // Sent and not answered yet; "done" is emitted with each answer.
  get unanswered() {
    return [...this.connection.open.values()].filter(({ sent }) => sent.part === this.id && sent.content).map(({ sent }) => sent.content);
  }
  set(name, value) {
    if (this.state[name] === value) return;
    this.keep({ [name]: value });
    this.dirty.add(name);
    this.emit(`change:${name}`);
  }
  save_changes(more = {}) {
    const state = Object.fromEntries([...this.dirty].map((name) => [name, this.state[name]]));
    this.dirty.clear();
    if (Object.keys(state).length) this.connection.post(this, { state: { ...state, ...more } });
  }
  send(content, _callbacks, buffers) {
    this.connection.post(this, { content }, buffers);
  }
  on(names, callback) {
    for (const name of names.split(" ")) {
      if (!this.listeners.has(name)) this.listeners.set(name, new Set());
      this.listeners.get(name).add(callback);
    }
    if (names.includes("msg:custom")) for (const heard of this.waiting.splice(0)) callback(...heard);
  }
  off(names, callback) {
    for (const name of names.split(" ")) this.listeners.get(name)?.delete(callback);
  }
  emit(name, ...rest) {
    for (const callback of [...(this.listeners.get(name) || [])]) callback(...rest);
  }
  take(state) {
    this.keep(state);
    for (const name of Object.keys(state)) this.emit(`change:${name}`);
  }
  keep(state) {
    Object.assign(this.state, state);
    for (const name of Object.keys(state)) if (!this.unsaved.includes(name)) this.saved[name] = state[name];
  }
  // Messages that arrive before there is a listener are kept.
  hear(content, buffers) {
    if (this.listeners.has("msg:custom")) this.emit("msg:custom", content, buffers);
    else this.waiting.push([content, buffers]);
  }
}

class Connection {
  constructor(model) {
    Object.assign(this, { model, parts: new Map(), views: new Set(), number: 0, open: new Map(), lost: [], gone: "", timer: 0, rounds: 0 });
    this.id = unique("connection");
    this.add(model.get("tree").parts);
    this.heard = (message, buffers) => this.hear(message, buffers);
    model.on("msg:custom", this.heard);
    model.send({ kind: "begin", told: model.get("tree").told }); // earlier messages are sent again
    this.stop = watchKernel(model, (why) => this.lose(why));
  }
  // All new parts exist before a known part draws them.
  add(described = {}) {
    const { parts } = this.model.get("tree");
    const known = Object.entries(described).filter(([id]) => this.parts.has(id));
    for (const [id, each] of Object.entries(described)) if (!this.parts.has(id)) this.parts.set(id, new PartModel(this, id, (parts[id] = each)));
    for (const [id, each] of known) this.take(id, each[1]);
  }
  remove(ids) {
    for (const id of ids) {
      this.parts.delete(id);
      delete this.model.get("tree").parts[id];
    }
  }
  // An update of a part from the kernel; later user changes are kept, because their answers will have them.
  take(id, state) {
    const open = [...this.open.values()].filter(({ sent }) => sent.part === id);
    const newer = new Set(open.flatMap(({ sent }) => Object.keys(sent.state || {})));
    const told = Object.entries(state).filter(([name]) => !newer.has(name));
    this.parts.get(id)?.take(Object.fromEntries(told));
  }
  hear(message, buffers) {
    if (message.kind === "done" && message.connection === this.id) this.settle(message);
    else if (message.kind === "done") this.take(message.part, message.state); // for another page
    if (message.kind === "state") {
      this.add(message.parts);
      this.remove(message.gone || [...this.parts.keys()].filter((id) => !(id in message.parts))); // otherwise it gets everything
      this.take(message.part, message.state);
    }
    const part = this.parts.get(message.part);
    if (message.kind === "focus") part?.emit("focus");
    // JupyterLab only checks the kernel after a request, and a run in a thread ends without one.
    if (message.kind === "billed" && !this.gone) this.model.send({ kind: "billed" });
    if (message.kind === "custom") part?.hear(message.content, buffers);
    this.follow();
  }
  // It is done; if the kernel changed the value that was set, the kernel's counts.
  settle({ n, part: id, state, missing }) {
    if (!this.open.has(n)) return; // it was answered before
    if (missing) this.lost.push(...this.open.get(n).written);
    this.open.delete(n);
    const part = this.parts.get(id);
    const differs = ([name, value]) => part && JSON.stringify(part.state[name]) !== JSON.stringify(value);
    if (part) this.take(id, Object.fromEntries(Object.entries(state).filter(differs)));
    part?.emit("done");
    const wasLost = this.rounds > 0;
    this.rounds = 0;
    if (wasLost) this.repeat();
  }
  // Send a user action with a number; it is open until the kernel says that it is done.
  post(part, message, buffers) {
    this.number += 1;
    const n = this.number;
    const busy = kernelOf(this.model)?.status === "busy";
    const sent = { connection: this.id, part: part.id, n, ...message };
    const now = Date.now();
    this.open.set(n, { since: now, last: now, written: written(message), sent, buffers });
    if (this.gone) return this.follow();
    this.model.send(sent, undefined, buffers);
    setTimeout(() => this.follow(), busy ? BUSY_PATIENCE : PATIENCE);
    this.watch();
  }
  // Messages sent while a connection was being restored may be lost.
  watch() {
    if (this.timer || this.gone || !this.open.size) return;
    const busy = kernelOf(this.model)?.status === "busy"; // maybe with this one; it is checked again soon
    const wait = busy ? PATIENCE : Math.min(LONGEST, LOST * 2 ** this.rounds);
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.repeat();
    }, wait);
  }
  // Send the first one again: later ones wait for it in the kernel, or are sent when it is answered.
  repeat() {
    const [first] = this.open.values();
    const busy = kernelOf(this.model)?.status === "busy";
    const patience = first?.buffers?.length ? LONGEST : LOST; // sending a piece of a file may take long
    if (!this.gone && first && !busy && Date.now() - first.last >= patience - 5) {
      this.rounds += 1;
      first.last = Date.now();
      this.model.send(first.sent, undefined, first.buffers);
    }
    this.watch();
  }
  get waits() {
    const busy = kernelOf(this.model)?.status === "busy";
    const end = Date.now() - (busy ? BUSY_PATIENCE : PATIENCE) + 5;
    return [...this.open.values()].some(({ since }) => since <= end);
  }
  // User texts that the kernel never received; a part whose text waits for a button has it in `unsent`.
  get unsaved() {
    if (!this.gone) return this.lost;
    const sent = [...this.open.values()].flatMap(({ written }) => written);
    const unsent = [...this.parts.values()].map((part) => part.unsent?.()).filter((text) => text?.trim());
    return [...new Set([...this.lost, ...sent, ...unsent])];
  }
  dismiss() {
    this.lost = [];
    this.follow();
  }
  lose(why) {
    if (this.gone) return;
    this.gone = why;
    this.follow();
  }
  follow() {
    for (const view of this.views) view.follow();
  }
  end() {
    clearTimeout(this.timer);
    this.stop();
    this.model.off("msg:custom", this.heard);
  }
}

// The user texts in a message: of a field, of cells, or to try out.
function written({ state, content }) {
  if (state) return typeof state.value === "string" && state.value.trim() ? [state.value] : [];
  const { kind, name, text, cells, block } = content || {};
  if (kind === "look" || kind === "copy" || kind === "text") return [];
  const found = Array.isArray(cells) ? cells.map((cell) => cell[2]) : Object.values(cells || {});
  const lines = (block || []).map((line) => line.join("  "));
  return [text, kind === "create" ? name : "", ...found, ...lines].filter((each) => typeof each === "string" && each.trim());
}

function kernelOf(model) {
  try {
    return model.widget_manager?.kernel || null;
  } catch {
    return null;
  }
}

// JupyterLab, Notebook and Voila report the state of their kernel; elsewhere, a missing answer is the only sign.
function watchKernel(model, lost) {
  const kernel = kernelOf(model);
  const changed = (_, status) => {
    if (["restarting", "autorestarting"].includes(status)) lost("The kernel was restarted.");
    if (["dead", "terminating"].includes(status)) lost("The kernel has ended.");
  };
  const ended = () => lost("The kernel has ended.");
  const closed = () => {
    if (!kernel || kernel.isDisposed) ended();
  };
  kernel?.statusChanged?.connect(changed);
  kernel?.disposed?.connect(ended);
  model.on("comm_live_update", closed);
  return () => {
    kernel?.statusChanged?.disconnect(changed);
    kernel?.disposed?.disconnect(ended);
    model.off("comm_live_update", closed);
  };
}

function connectionOf(model) {
  const { name } = model.get("tree");
  if (!connections.has(name)) connections.set(name, new Connection(model));
  return connections.get(name);
}
