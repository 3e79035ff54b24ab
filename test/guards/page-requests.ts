import type { BrowserContext, Request } from "@playwright/test";
import { isDrawn } from "../browser/is-drawn.ts";
import { until } from "../scenarios/stories/until.ts";

export interface OpenedPage {
  readonly path: string;
  readonly requests: { readonly url: string; readonly status: number }[];
}

/** Opens pages of the console one after the other, and keeps what each asked of the API; not the stream, which has no end. */
export async function requestsOf(
  person: BrowserContext,
  url: string,
  paths: readonly string[],
): Promise<OpenedPage[]> {
  const opened: OpenedPage[] = [];
  const open = new Set<Request>();
  const page = await person.newPage();
  const isAsked = (request: Request) => /\/api\/v1\/(?!events)/.test(request.url());
  page.on("request", (request) => isAsked(request) && open.add(request));
  page.on("requestfailed", (request) => open.delete(request));
  page.on("response", (response) => {
    const request = response.request();
    if (open.delete(request)) opened.at(-1)?.requests.push({ url: request.url(), status: response.status() });
  });
  for (const path of paths) {
    opened.push({ path, requests: [] });
    await page.goto(url + path);
    await isDrawn(page);
    await until(`all that ${path} asks is answered`, async () => open.size === 0);
  }
  return opened;
}
