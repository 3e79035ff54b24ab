import { ManualClock, StreamReader } from "@lockstep/test-support";
import { describe, expect, test } from "vitest";
import { EventStream, message } from "./event-stream.ts";

const job = (id: number) => message("job", `{"id":${id},"text":"${"x".repeat(1_000)}"}`, String(id));

function aStream() {
  const clock = new ManualClock();
  const stream = new EventStream({ clock });
  return { clock, stream, client: new StreamReader(new Response(stream.body)) };
}

describe("a client that reads slowly", () => {
  test("is written to as fast as it reads, and gets everything in order", async () => {
    const { stream, client } = aStream();
    let written = 0;
    const writing = (async () => {
      for (let id = 1; id <= 200; id += 1) {
        await stream.write(job(id));
        written = id;
      }
      stream.close();
    })();
    await new Promise((resolve) => setImmediate(resolve));
    // 16 KiB, and what the reader may have taken for itself.
    expect(written).toBeLessThan(30);
    const ids: (string | null)[] = [];
    for (let next = await client.next(); next !== null; next = await client.next()) ids.push(next.id);
    expect(ids).toEqual(Array.from({ length: 200 }, (_, index) => String(index + 1)));
    await writing;
  });

  test("is sent of a state only the latest", async () => {
    const { stream, client } = aStream();
    const filling = Array.from({ length: 40 }, (_, id) => stream.write(job(id)));
    for (let count = 1; count <= 50; count += 1) stream.state("stats", `{"count":${count}}`);
    stream.state("workers", "[]");
    const told: unknown[] = [];
    while (told.length < 2) {
      const { event, data } = (await client.next()) ?? {};
      if (event !== "job") told.push([event, data]);
    }
    expect(told).toEqual([
      ["stats", { count: 50 }],
      ["workers", []],
    ]);
    stream.close();
    await Promise.all(filling);
  });

  test("and takes nothing at all for 30 s is let go, and told to come back with its cursor", async () => {
    const { stream, clock, client } = aStream();
    const writing = (async () => {
      for (let id = 1; !stream.ended.aborted; id += 1) await stream.write(job(id));
    })();
    await clock.advance(29_000);
    expect(stream.ended.aborted).toBe(false);
    await clock.advance(1_000);
    await writing;
    const heard: (string | null)[] = [];
    for (let next = await client.next(); next !== null; next = await client.next()) heard.push(next.event);
    expect(heard.at(-1)).toBe("resync");
    expect(heard.length).toBeLessThan(30);
  });
});

test("a client that takes nothing is let go also where only pings wait for it, and one that reads them is not", async () => {
  const { stream, clock } = aStream();
  const reading = aStream();
  const heard: unknown[] = [];
  void (async () => {
    for (let next = await reading.client.next(); next !== null; next = await reading.client.next())
      heard.push(next);
  })();
  for (let pings = 0; pings < 2; pings += 1) {
    for (const one of [{ stream, clock }, reading]) {
      one.stream.ping();
      await one.clock.advance(15_000);
      expect(one.stream.ended.aborted).toBe(false);
    }
  }
  stream.ping();
  reading.stream.ping();
  expect([stream.ended.aborted, reading.stream.ended.aborted]).toEqual([true, false]);
  expect(heard).toHaveLength(2);
});

test("a client that has gone ends the stream, and what is sent then goes nowhere", async () => {
  const { stream, client } = aStream();
  await client.close();
  expect(stream.ended.aborted).toBe(true);
  await stream.write(job(1));
  stream.state("stats", "{}");
  stream.ping();
  stream.close("event: x\n\n");
});
