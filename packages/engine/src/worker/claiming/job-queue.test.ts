import { randomUUID } from "node:crypto";
import v8 from "node:v8";
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import type { Claim } from "../../store/working/claim.ts";
import { JobQueue } from "./job-queue.ts";

const [read, send] = [1, 2];

function aClaim(jobId: string, stageId = read): Claim {
  return {
    jobId,
    stageId,
    token: randomUUID(),
    attempt: 1,
    priority: 10,
    position: 1,
    owner: null,
    tags: [],
    payload: null,
    outputs: {},
    more: null,
  };
}

function aQueue(limit = 1_000): JobQueue {
  return new JobQueue([read, send], limit);
}

describe("at the door", () => {
  test("a job that waits there already is refused", () => {
    const queue = aQueue();
    expect(queue.enqueue(aClaim("a"))).toBe("queued");
    expect(queue.enqueue(aClaim("a"))).toBe("already_queued");
    expect(queue.waiting(read)).toBe(1);
  });

  test("a job that is being processed is refused, in its stage and in any other, until its attempt has ended", () => {
    const queue = aQueue();
    queue.enqueue(aClaim("a"));
    queue.dequeue(read);
    expect(queue.enqueue(aClaim("a"))).toBe("already_processing");
    expect(queue.enqueue(aClaim("a", send))).toBe("already_processing");
    queue.end("a");
    expect(queue.enqueue(aClaim("a"))).toBe("queued");
  });

  test("a job that waits in another stage's line is refused", () => {
    const queue = aQueue();
    queue.enqueue(aClaim("a"));
    expect(queue.enqueue(aClaim("a", send))).toBe("in_other_stage");
    expect(queue.waiting(send)).toBe(0);
  });

  test("the job after the thousandth is refused, and let in when one has left", () => {
    const queue = aQueue();
    for (let job = 1; job <= 1_000; job += 1) expect(queue.enqueue(aClaim(`job ${job}`))).toBe("queued");
    expect(queue.enqueue(aClaim("one more"))).toBe("full");
    expect(queue.waiting(read)).toBe(1_000);
    queue.dequeue(read);
    expect(queue.enqueue(aClaim("one more"))).toBe("queued");
  });

  test("one stage's full line does not close another's", () => {
    const queue = aQueue(1);
    queue.enqueue(aClaim("a"));
    expect(queue.enqueue(aClaim("b"))).toBe("full");
    expect(queue.enqueue(aClaim("b", send))).toBe("queued");
  });

  test("a stage that this worker does not serve is a mistake of ours", () => {
    expect(() => aQueue().enqueue(aClaim("a", 3))).toThrow("no queue for stage 3");
    expect(() => aQueue().dequeue(3)).toThrow("no queue for stage 3");
  });
});

describe("in the line", () => {
  test("jobs leave in the order in which they came, stage by stage", () => {
    const queue = aQueue();
    for (const id of ["a", "b", "c"]) queue.enqueue(aClaim(id));
    queue.enqueue(aClaim("x", send));
    expect(queue.dequeue(read)?.jobId).toBe("a");
    queue.enqueue(aClaim("d"));
    expect(queue.dequeue(send)?.jobId).toBe("x");
    expect(
      [queue.dequeue(read), queue.dequeue(read), queue.dequeue(read)].map((claim) => claim?.jobId),
    ).toEqual(["b", "c", "d"]);
    expect(queue.dequeue(read)).toBeUndefined();
  });

  test("it says how many wait, which ones, and whether any do", () => {
    const queue = aQueue();
    expect(queue.isEmpty).toBe(true);
    queue.enqueue(aClaim("a"));
    queue.enqueue(aClaim("b"));
    expect(queue.isEmpty).toBe(false);
    queue.dequeue(read);
    expect([queue.waiting(read), queue.isWaiting("a"), queue.isWaiting("b")]).toEqual([1, false, true]);
    queue.dequeue(read);
    expect([queue.waiting(read), queue.isEmpty]).toEqual([0, true]);
  });

  test("taking all empties every line in order, and leaves what is processed alone", () => {
    const queue = aQueue();
    for (const id of ["a", "b", "c"]) queue.enqueue(aClaim(id));
    queue.enqueue(aClaim("x", send));
    queue.dequeue(read);
    expect(queue.takeAll().map((claim) => claim.jobId)).toEqual(["b", "c", "x"]);
    expect([queue.isEmpty, queue.waiting(read), queue.waiting(send)]).toEqual([true, 0, 0]);
    expect(queue.takeAll()).toEqual([]);
    expect(queue.enqueue(aClaim("a"))).toBe("already_processing");
    expect(queue.enqueue(aClaim("b"))).toBe("queued");
  });

  test("a line that is never empty forgets the claims that have left it", async () => {
    const queue = aQueue(10);
    let first: WeakRef<Claim> | null = null;
    for (let job = 0; job < 100; job += 1) {
      const claim = aClaim(`job ${job}`);
      first ??= new WeakRef(claim);
      queue.enqueue(claim);
      if (job > 0) queue.dequeue(read);
    }
    // A weak reference is held to the end of the turn that made it.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(queue.waiting(read)).toBe(1);
    expect(first?.deref()).toBeUndefined();
  });
});

function collectGarbage(): void {
  v8.setFlagsFromString("--expose-gc");
  vm.runInNewContext("gc")();
}
