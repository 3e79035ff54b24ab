import { describe, expect, test } from "vitest";
import { type ServerSentEvent, SseParser } from "./sse-parser.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function parsed(text: string, cuts: number[] = []): { events: ServerSentEvent[]; parser: SseParser } {
  const parser = new SseParser();
  const whole = bytes(text);
  const edges = [0, ...cuts, whole.length];
  const events = edges.slice(1).flatMap((end, index) => parser.push(whole.slice(edges[index], end)));
  return { events, parser };
}

describe("a stream", () => {
  test.each(["\n", "\r\n", "\r"])("with lines that end in %j is read", (end) => {
    const lines = [": hello", "retry: 2000", "id: 7", "event: job", 'data: {"a":1}', "", "data:two", ""];
    const { events, parser } = parsed(lines.map((line) => `${line}${end}`).join(""));
    expect(events).toEqual([
      { event: "job", data: '{"a":1}', id: "7" },
      { event: "message", data: "two", id: "7" },
    ]);
    expect(parser.lastEventId).toBe("7");
    expect(parser.retryMs).toBe(2_000);
  });

  test("gives the same wherever its bytes are cut, in two or singly", () => {
    const text =
      "\uFEFFid: 1\r\nevent: job\r\ndata: grüße ✓ 😀\r\ndata: two\r\n\r\n: ping\n\nid: 2\n\ndata:  x\r\r\n";
    const whole = parsed(text);
    expect(whole.events).toEqual([
      { event: "job", data: "grüße ✓ 😀\ntwo", id: "1" },
      { event: "message", data: " x", id: "2" },
    ]);
    const { length } = bytes(text);
    for (let cut = 1; cut < length; cut += 1) {
      const { events, parser } = parsed(text, [cut]);
      expect(events, `cut at ${cut}`).toEqual(whole.events);
      expect(parser.lastEventId).toBe("2");
    }
    const singly = parsed(
      text,
      Array.from({ length: length - 1 }, (_, index) => index + 1),
    );
    expect(singly.events).toEqual(whole.events);
  });
});

test("data may have many lines, and none at all tells nothing", () => {
  const { events } = parsed("data: a\ndata\ndata: c\n\nevent: job\n\ndata\n\n");
  expect(events).toEqual([
    { event: "message", data: "a\n\nc", id: null },
    { event: "message", data: "", id: null },
  ]);
});

test("an id counts when its message is whole, also without data, and an impossible one does not", () => {
  const parser = new SseParser();
  parser.push(bytes("id: 1\ndata: x\n\nid: 2\ndata: cut"));
  expect(parser.lastEventId).toBe("1");
  parser.push(bytes(" off\n\nid: 3\n\nid: a\0b\ndata: y\n\n"));
  expect(parser.lastEventId).toBe("3");
});

test("what is no field, no number and no colon is passed over", () => {
  const { events, parser } = parsed("nonsense\nretry: soon\nfoo: bar\ndata\n:\n\n");
  expect(events).toEqual([{ event: "message", data: "", id: null }]);
  expect(parser.retryMs).toBeNull();
});
