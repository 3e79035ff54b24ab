import type { BrowserContext } from "@playwright/test";
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
  const page = await person.newPage();
  let path = "";
  let open = 0;
  const isAsked = (address: string) => /\/api\/v1\/(?!events)/.test(address);
  page.on("request", (request) => {
    if (isAsked(request.url())) open += 1;
  });
  page.on("requestfailed", (request) => {
    if (isAsked(request.url())) open -= 1;
  });
  page.on("response", (response) => {
    if (!isAsked(response.url())) return;
    open -= 1;
    const headers = response.headers();
    requests.push({
      path,
      url: response.url(),
      status: response.status(),
      serverMs: msOf(headers["server-timing"]),
    });
  });
  for (path of paths) {
    await page.goto(url + path);
    await isDrawn(page);
    await until(`all that ${path} asks is answered`, async () => open === 0);
  }
  return requests;
}

/** As Server-Timing tells it. */
export function msOf(timing: string | null | undefined): number {
  const [, ms] = /\btotal;dur=([\d.]+)/.exec(timing ?? "") ?? [];
  if (ms === undefined) throw new Error("The server did not say how long it took.");
  return Number(ms);
}
