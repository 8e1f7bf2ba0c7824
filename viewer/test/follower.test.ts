// A live recording over a socket: the records are those that the segments will have, and garbage does no harm.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Follower } from "../src/play/follower.js";
import { Loader } from "../src/play/loader.js";
import { Edge, Playhead } from "../src/play/playhead.js";
import { Samples, sample } from "../src/play/sampler.js";
import { Show } from "../src/play/show.js";
import type { Files, Socket } from "../src/source/files.js";
import { Folder, Growing, LACKING, SITE, listed } from "./recordings.js";

/** The first segments of a recording, and sockets on which the test sends. */
class Live implements Files {
  readonly sockets: (Socket & { readonly address: string; closed: boolean })[] = [];
  json: Buffer;
  private readonly folder = new Folder(SITE);

  constructor(json: Buffer) {
    this.json = json;
  }

  text(): Promise<string> {
    return Promise.resolve(this.json.toString());
  }

  bytes(path: string): Promise<Uint8Array> {
    return this.folder.bytes(path);
  }

  socket(address: string): Socket {
    const socket = {
      address,
      closed: false,
      onopen: null,
      onmessage: null,
      onclose: null,
      binaryType: "arraybuffer" as const,
      close() {
        socket.closed = true;
      },
    };
    this.sockets.push(socket);
    return socket;
  }

  say(data: string | Uint8Array): void {
    const socket = this.sockets.at(-1)!;
    const given = typeof data === "string" ? data : Uint8Array.from(data).buffer;
    socket.onmessage?.call(socket as unknown as WebSocket, { data: given } as MessageEvent);
  }
}

const SEGMENTS = 2;

async function following(segments = SEGMENTS) {
  const { id } = listed().find(({ name }) => name === "match.butter")!;
  const growing = new Growing(id);
  const live = new Live(growing.json(segments));
  const loader = await Loader.open(live, id);
  const told: string[] = [];
  const follower = new Follower(loader, {
    began: () => told.push("began"),
    grown: () => told.push("grown"),
    changed: () => told.push("changed"),
    trouble: (why) => told.push(why ?? "well"),
  });
  follower.start();
  return { growing, live, loader, follower, told };
}

/** The state at a moment, of every table. */
function held(loader: Loader, show: Show, at: number): unknown[] {
  show.moveTo(at, false);
  return loader.tables.tables.flatMap(({ name, lane, columns }) => {
    const rows = lane === "state" ? show.before.rows(name) : undefined;
    return Array.from({ length: rows?.length ?? 0 }, (_, row) => columns.map((_, at) => rows!.value(row, at)));
  });
}

async function settled(loader: Loader, show: Show, at: number): Promise<unknown[]> {
  while (!show.moveTo(at, false)) {
    await new Promise<void>((resolve) => (loader.onChange = resolve));
  }
  return held(loader, show, at);
}

test("a recording that is opened while it is empty gets its clock from the first rows", { skip: LACKING }, async () => {
  for (const way of ["socket", "segments"]) {
    const { growing, live, loader, follower } = await following(0);
    assert.equal(loader.tables.times, false, "nobody knows yet");
    if (way === "socket") {
      live.say(growing.begin(0));
      growing.records[0]!.forEach((record) => live.say(record));
    } else {
      live.json = growing.json(1);
      await loader.refresh();
    }
    assert.equal(loader.tables.times, true, way);
    const { from, to } = growing.whole.segments[0]!;
    assert.deepEqual([loader.from, loader.to], [Growing.ms(from), Growing.ms(to)], way);
    const show = new Show(loader);
    await settled(loader, show, loader.to);
    assert.equal(show.before.at, loader.to, way);
    follower.stop();
  }
});

test("the records from the socket are those of the segments", { skip: LACKING }, async () => {
  const { growing, live, loader, follower, told } = await following();
  const [socket] = live.sockets;
  assert.equal(socket!.address, `live?after=${growing.whole.segments[SEGMENTS - 2]!.file}`);
  live.say(growing.begin(SEGMENTS));
  assert.equal(follower.way, "socket");
  const { id } = loader.published;
  const whole = await Loader.open(new Folder(SITE), id);
  const [here, there] = [new Show(loader), new Show(whole)];
  const series = { table: "disc", columns: [1], of: { entity: null } };
  const grown = new Samples([series], loader.from, loader.to);
  const after: ((more: boolean) => void)[] = [];
  const sampled = sample(loader, grown, new AbortController().signal, () => {}, () => {
    return new Promise((resolve) => after.push(resolve));
  });
  let compared = 0;
  for (let index = SEGMENTS; index < growing.whole.segments.length; index += 1) {
    for (const record of growing.records[index]!) {
      const before = loader.to;
      live.say(record);
      assert.ok(loader.to >= before);
      if (compared % 50 === 0 && loader.infos.length > index) {
        assert.deepEqual(held(loader, here, loader.to), await settled(whole, there, loader.to));
      }
      compared += 1;
      after.splice(0).forEach((resolve) => resolve(true));
    }
    assert.equal(loader.to, Growing.ms(growing.whole.segments[index]!.to));
    live.say(growing.segment(index));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  assert.ok(compared > 500);
  assert.equal(loader.infos.length, growing.whole.segments.length);
  // Earlier parts are still there.
  const middle = (loader.from + loader.to) / 2;
  assert.deepEqual(await settled(loader, here, middle), await settled(whole, there, middle));
  live.say(JSON.stringify({ kind: "markers", markers: growing.whole["markers"] }));
  const those = growing.whole["markers"] as object[];
  const [first] = loader.published.markers;
  live.say(JSON.stringify({ kind: "marked", keep: 1, markers: those.slice(1, 3) }));
  assert.equal(loader.published.markers.length, Math.min(3, those.length));
  assert.equal(loader.published.markers[0], first, "what is there already stays");
  assert.ok(loader.published.markers.length > 0 && told.includes("changed"));
  // Its writer is gone: the rest is in segments, with the findings of an audit.
  live.json = growing.json(growing.whole.segments.length, false);
  live.say(JSON.stringify({ kind: "end", why: "the writer has gone" }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(follower.way, "ended");
  assert.ok(socket!.closed);
  assert.notEqual(loader.published.verdict, null);
  assert.equal(loader.to, whole.to);
  after.splice(0).forEach((resolve) => resolve(false));
  await sampled;
  // Samples that grew bound the same values.
  const all = new Samples([series], whole.from, whole.to);
  await sample(whole, all, new AbortController().signal, () => {});
  const bounds = (samples: Samples): number[] => {
    const values = samples.line(0).value.filter((value) => value !== null);
    return [Math.min(...values), Math.max(...values)];
  };
  assert.deepEqual(bounds(grown), bounds(all));
});

test("garbage on the socket is not believed, and segments take its place", { skip: LACKING }, async () => {
  const broken = (growing: Growing): (string | Uint8Array)[][] => {
    const [snapshot] = growing.records[SEGMENTS]!.filter((record) => record[0] === 1);
    const packet = growing.records[SEGMENTS]!.find((record) => record[0] === 2)!;
    const spoilt = Uint8Array.from(packet);
    spoilt.fill(0xff, 5);
    const begin = growing.begin(SEGMENTS);
    return [
      ["no JSON"],
      ["[]"],
      ["{}"],
      ['{"kind":"begin","version":2}'],
      ['{"kind":"begin","version":1,"keep":99,"segments":[]}'],
      ['{"kind":"begin","version":1,"keep":-1,"segments":[]}'],
      ['{"kind":"begin","version":1,"keep":0,"segments":[{"file":"../x"}]}'],
      ['{"kind":"segment","segment":{}}'],
      [snapshot!],
      [begin, Uint8Array.of(1, 2, 3)],
      [begin, Uint8Array.of(1, 255, 255, 255, 255, 0)],
      [begin, packet],
      [begin, snapshot!, spoilt],
      [begin, '{"kind":"markers","markers":[{"kind":"odd"}]}'],
      [begin, '{"kind":"marked","keep":9,"markers":[]}'],
    ];
  };
  for (let at = 0; at < 15; at += 1) {
    const { growing, live, loader, follower, told } = await following();
    const messages = broken(growing)[at]!;
    messages.forEach((message) => live.say(message));
    const what = `garbage ${at}: ${told.join(", ")}`;
    assert.ok(live.sockets[0]!.closed, what);
    assert.equal(follower.way, "segments", what);
    assert.match(told.join("\n"), /The live connection was lost/, what);
    // The earlier part plays.
    const show = new Show(loader);
    assert.ok((await settled(loader, show, loader.from + 1000)).length > 0);
    // Unknown messages do no harm.
    follower.stop();
  }
  const { growing, live, follower } = await following();
  live.say(growing.begin(SEGMENTS));
  live.say('{"kind":"still"}');
  live.say('{"kind":"of a later version","and":["more"]}');
  growing.records[SEGMENTS]!.slice(0, 5).forEach((record) => live.say(record));
  live.say(Uint8Array.of(77, 1, 0, 0, 0, 9));
  assert.equal(follower.way, "socket");
  follower.stop();
});

test("a lost socket comes back, later and later, and segments go on meanwhile", { skip: LACKING }, async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { growing, live, loader, follower } = await following();
  const flush = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) {
      await Promise.resolve();
    }
  };
  const tick = async (ms: number): Promise<void> => {
    for (let gone = 0; gone < ms; gone += 100) {
      t.mock.timers.tick(100);
      await flush();
    }
  };
  live.say(growing.begin(SEGMENTS));
  growing.records[SEGMENTS]!.slice(0, 40).forEach((record) => live.say(record));
  const reached = loader.to;
  assert.ok(reached > Growing.ms(growing.whole.segments[SEGMENTS - 1]!.to));
  const lose = (code: number): void => {
    const socket = live.sockets.at(-1)!;
    socket.onclose?.call(socket as unknown as WebSocket, { code } as CloseEvent);
  };
  lose(4000);
  assert.equal(follower.way, "segments");
  // Records that came stay, although the segments do not have them yet.
  await tick(900);
  assert.equal(live.sockets.length, 1);
  assert.equal(loader.to, reached);
  await tick(800);
  assert.equal(live.sockets.length, 2);
  assert.equal(loader.to, reached);
  lose(1006);
  live.json = growing.json(SEGMENTS + 2);
  await tick(1600);
  assert.equal(live.sockets.length, 2);
  await tick(600);
  assert.equal(live.sockets.length, 3);
  // The segments have it all by now.
  assert.equal(loader.to, Growing.ms(growing.whole.segments[SEGMENTS + 1]!.to));
  assert.match(live.sockets[2]!.address, /after=/);
  live.say(growing.begin(SEGMENTS + 2));
  assert.equal(follower.way, "socket");
  // Silence is a loss, too.
  await tick(15_100);
  assert.equal(follower.way, "segments");
  follower.stop();
  const { length } = live.sockets;
  await tick(60_000);
  assert.equal(live.sockets.length, length);
});

test("the page is as close to the end as it can be and play evenly", () => {
  const play = (arrive: (packet: number) => number, ms: number): { behind: number; stumbles: number; back: number } => {
    const edge = new Edge();
    const arrivals: { at: number; now: number }[] = [];
    for (let packet = 0; packet * 33 < ms; packet += 1) {
      arrivals.push({ at: packet * 33, now: arrive(packet) + 5000 });
    }
    let [next, at, to, last, stumbles, back] = [0, 0, 0, 5000, 0, 0];
    let behind = 0;
    for (let now = 5000; now < 5000 + ms; now += 16) {
      let count = 0;
      while (next < arrivals.length && arrivals[next]!.now <= now) {
        to = arrivals[next]!.at;
        count += 1;
        next += 1;
      }
      if (count > 0) {
        edge.heard(to, count, 33, now);
      }
      const was = at;
      at = edge.onward(at, to, 33, true, now, now - last);
      back += at < was ? 1 : 0;
      last = now;
      // The first seconds it learns.
      if (now > 5000 + ms / 2) {
        stumbles += at === was ? 1 : 0;
        behind = Math.max(behind, to - at);
      }
    }
    return { behind, stumbles, back };
  };
  const even = play((packet) => packet * 33, 20_000);
  assert.ok(even.behind <= 110 && even.stumbles === 0 && even.back === 0, JSON.stringify(even));
  const uneven = play((packet) => packet * 33 + ((packet * 7919) % 60), 20_000);
  assert.ok(uneven.behind <= 220 && uneven.stumbles === 0, JSON.stringify(uneven));
  // Segment by segment, every two seconds.
  // Packets that were missed before say nothing about later ones.
  const joined = play((packet) => Math.max(packet * 33, 3000 + packet * 0.5), 20_000);
  assert.ok(joined.behind <= 110 && joined.stumbles === 0, JSON.stringify(joined));
  const bursts = play((packet) => Math.ceil((packet * 33) / 2000) * 2000, 40_000);
  assert.ok(bursts.behind <= 4300 && bursts.stumbles < 20, JSON.stringify(bursts));
});

test("a playhead follows a live recording until it goes elsewhere, and comes back", () => {
  const head = new Playhead(0, 1000, true);
  head.live = true;
  head.follow();
  assert.ok(head.following && head.playing && head.at === 1000);
  head.to = 1500;
  head.followed(1400);
  head.elapsed(100);
  assert.equal(head.at, 1400);
  head.seek(200);
  assert.ok(!head.following && head.playing);
  head.faster(2);
  for (let frame = 0; frame < 8; frame += 1) {
    head.elapsed(100);
  }
  // It has caught up.
  assert.ok(head.following && head.speed === 1 && head.at === 1500);
  head.pause();
  assert.ok(!head.following);
  head.play();
  assert.ok(head.following && head.at === 1500, "at the end, it follows again");
  head.pause();
  head.ended();
  head.play();
  assert.ok(!head.following && head.at === 0);
});
