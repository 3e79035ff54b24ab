import { apiCaller, testDatabase } from "@lockstep/test-support";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, expect, test } from "vitest";
import { served } from "../testing/served.ts";

const db = testDatabase();
const { server, stop } = served(db.url);
const call = apiCaller(server);
afterAll(stop);

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { operationId?: string; summary?: string; responses: object }>>;
}

test("/openapi.json is OpenAPI 3.1", async () => {
  const { status, body } = await call<Document>("GET /openapi.json");
  expect(status).toBe(200);
  expect(body.openapi).toBe("3.1.0");
  const validator = new Validator();
  expect(await validator.validate({ ...body })).toEqual({ valid: true });
});

test("every route has a summary, and tells of its refusals", async () => {
  const { body } = await call<Document>("GET /openapi.json");
  for (const [path, methods] of Object.entries(body.paths)) {
    for (const [method, route] of Object.entries(methods)) {
      expect(route.summary, `${method} ${path}`).toBeDefined();
      const isOpen = path.startsWith("/health");
      expect(Object.keys(route.responses).includes("4XX"), `${method} ${path}`).toBe(!isOpen);
    }
  }
});

// So that a change of the contract is seen where it is reviewed. `npx vitest run PATH --update=true` writes it anew:
// with -u before the path Vitest takes the path for its value, and writes the snapshots of all files.
test("the contract is the one that was reviewed", async () => {
  const { body } = await call<Document>("GET /openapi.json");
  await expect(`${JSON.stringify(body, null, 2)}\n`).toMatchFileSnapshot("openapi.json.snap");
});
