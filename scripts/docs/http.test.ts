import { serverSettings } from "@lockstep/server";
import { problemKinds } from "@lockstep/server/contract";
import { expect, test } from "vitest";
import { blocks, read, tableUnder } from "./page.ts";

const page = read("docs/http-api.md");

interface Document {
  paths: Record<string, Record<string, { summary: string; "x-right": string }>>;
}

test("docs/http-api.md lists every route with its right", () => {
  const { paths } = JSON.parse(read("packages/server/src/openapi/openapi.json.snap")) as Document;
  const expected = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => {
      const right = { none: "any caller", open: "" }[route["x-right"]] ?? `\`${route["x-right"]}\``;
      return [`\`${method.toUpperCase()} ${path}\``, right, route.summary];
    }),
  );
  expect(tableUnder(page, "## Routes")).toEqual(expected);
});

test("docs/http-api.md lists every code of a refusal", () => {
  const expected = Object.entries(problemKinds).map(([code, { status, title }]) => [
    `\`${code}\``,
    String(status),
    title,
  ]);
  expect(tableUnder(page, "## Refusals")).toEqual(expected);
});

test("docs/http-api.md shows examples/web/http-server.ts as it is", () => {
  const [, shown = ""] = /^```ts\n(.*?)^```$/ms.exec(page) ?? [];
  expect(shown).toBe(read("examples/web/http-server.ts"));
});

test("docs/http-api.md shows how test/mounts/mount.ts mounts a server, and the route of Next as it is", () => {
  expect(blocks(page, "ts")[1]).toBe(read("test/mounts/mount.ts"));
  const route = read("test/mounts/next-app/app/ops/jobs/[[...path]]/route.js");
  const shown = blocks(page, "js")[0] ?? "";
  expect(route).toContain(shown.replace("server.fetch", "globalThis.mountedServer.fetch"));
});

test("docs/configuration.md lists every setting of a server", () => {
  const expected = Object.entries(serverSettings).map(([name, setting]) => [
    `\`${name}\``,
    defaultOf(name, setting.default),
    setting.sentence,
  ]);
  expect(tableUnder(read("docs/configuration.md"), "## Settings of a server")).toEqual(expected);
});

function defaultOf(name: string, value: unknown): string {
  if (value === undefined) return "required";
  const told: Record<string, string> = {
    logger: "standard error",
    clock: "the system's",
    redactKeys: "passwords, tokens, …",
  };
  return (
    told[name] ?? (typeof value === "number" ? value.toLocaleString("en-US") : `\`${JSON.stringify(value)}\``)
  );
}
