import { PermanentError } from "lockstep";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type RegisterServer, startRegister } from "../test-support/register-server.ts";
import { RegisterClient } from "./register-client.ts";
import { RegisterWatcher } from "./register-watcher.ts";

const { signal } = new AbortController();
let server: RegisterServer;

beforeAll(async () => {
  server = await startRegister({ user: "clerk", password: "s3cret" });
  server.documents.set("17", { name: "Deed.pdf", bytes: Buffer.from("%PDF-1.7 deed") });
  server.documents.set("a/b", { name: "Odd.pdf", bytes: Buffer.from("%PDF-1.7 odd") });
});
afterAll(() => server.stop());
beforeEach(() => {
  server.asked.length = 0;
});

const client = (settings: Partial<ConstructorParameters<typeof RegisterClient>[0]> = {}) =>
  new RegisterClient({ url: server.url, user: "clerk", password: "s3cret", timeoutMs: 20_000, ...settings });

async function fetched(register: RegisterClient, id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  await register.fetch(id, async (chunk) => void chunks.push(chunk), signal);
  return Buffer.concat(chunks).toString();
}

test("it signs in once, lists and fetches, and an id cannot lead elsewhere", async () => {
  const register = client();
  expect(await Promise.all([register.list(signal), register.list(signal)])).toMatchObject([
    [{ id: "17", name: "Deed.pdf" }, { id: "a/b" }],
    [{ id: "17" }, { id: "a/b" }],
  ]);
  expect(await fetched(register, "17")).toBe("%PDF-1.7 deed");
  expect(await fetched(register, "a/b")).toBe("%PDF-1.7 odd");
  expect(server.asked.filter((asked) => asked.startsWith("POST"))).toHaveLength(1);
});

test("a session that has ended is begun again, without anybody noticing", async () => {
  const register = client();
  await register.list(signal);
  server.endSessions();
  expect(await fetched(register, "17")).toBe("%PDF-1.7 deed");
  expect(server.asked.filter((asked) => asked.startsWith("POST"))).toHaveLength(2);
});

test("a wrong password is said and not tried again, and the password is not in the message", async () => {
  const error = await client({ password: "guess-1" })
    .list(signal)
    .catch((thrown) => thrown);
  expect(error).toBeInstanceOf(PermanentError);
  expect(error.message).toMatch(/Failed to login to the register.*clerk.*OCR_REGISTER_PASSWORD/);
  expect(error.message).not.toContain("guess-1");
  expect(server.asked).toEqual(["POST /portal/login"]);
});

test("a document that is not there fails for good, and a register that is away does not", async () => {
  const missing = await fetched(client(), "404").catch((thrown) => thrown);
  expect(missing).toBeInstanceOf(PermanentError);
  expect(missing.message).toContain("answers with 404");
  const away = await client({ url: "http://127.0.0.1:9/portal" })
    .list(signal)
    .catch((thrown) => thrown);
  expect(away.message).toContain("cannot be reached");
  expect(away).not.toBeInstanceOf(PermanentError);
});

test("each document of the list is reported once, and again if reporting it failed", async () => {
  const register = client();
  const told: string[] = [];
  let isFull = true;
  const watcher = new RegisterWatcher(
    () => register.list(signal),
    async ({ name }) => {
      if (isFull && name === "Odd.pdf") throw new Error("full");
      told.push(name);
    },
  );
  await expect(watcher.look()).rejects.toThrow("full");
  isFull = false;
  await watcher.look();
  await watcher.look();
  // The first one twice: adding it is safe to repeat, and forgetting it would not be.
  expect(told).toEqual(["Deed.pdf", "Deed.pdf", "Odd.pdf"]);
});
