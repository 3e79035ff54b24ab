import type { BrowserContext, Request } from "@playwright/test";
import { isDrawn } from "../browser/is-drawn.ts";
import { until } from "../scenarios/until.ts";

export interface PageRequest {
  readonly path: string;
  readonly url: string;
  readonly status: number;
  /** What the server says it took. */
  readonly serverMs: number;
}

/** Opens pages of the console one after the other, and keeps what each asked of the API; not the stream, which has no end. */
export async function requestsOf(
  person: BrowserContext,
  url: string,
  paths: readonly string[],
): Promise<PageRequest[]> {
  const requests: PageRequest[] = [];
  const open = new Set<Request>();
  const page = await person.newPage();
  let path = "";
  const isAsked = (request: Request) => /\/api\/v1\/(?!events)/.test(request.url());
  page.on("request", (request) => isAsked(request) && open.add(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("response", (response) => {
    const request = response.request();
    if (!open.delete(request)) return;
    const serverMs = msOf(response.headers()["server-timing"]);
    requests.push({ path, url: request.url(), status: response.status(), serverMs });
  });
  for (path of paths) {
    await page.goto(url + path);
    await isDrawn(page);
    await until(`all that ${path} asks is answered`, async () => open.size === 0);
  }
  return requests;
}

/** As Server-Timing tells it. */
export function msOf(timing: string | null | undefined): number {
  const [, ms] = /\btotal;dur=([\d.]+)/.exec(timing ?? "") ?? [];
  if (ms === undefined) throw new Error("The server did not say how long it took.");
  return Number(ms);
}
