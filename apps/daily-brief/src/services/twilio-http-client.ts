import twilio from "twilio";
import { smsErrorOf, smsRefusal } from "./sms-error.ts";

// A CommonJS module: Node gives its parts through the default alone.
type RequestClient = InstanceType<typeof twilio.RequestClient>;
type Options = Parameters<RequestClient["request"]>[0];
type Answer = Awaited<ReturnType<RequestClient["request"]>>;

/** Twilio's client has no setting for its address, and its errors leave out Retry-After: both are fixed here. */
export function twilioHttpClient(at: {
  readonly baseUrl: string;
  readonly timeoutMs: number;
}): RequestClient {
  const client = new twilio.RequestClient();
  client.request = (options) => send(options as Options, at) as never;
  return client;
}

async function send(
  { method, uri, username, password, headers, params, data }: Options,
  { baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number },
): Promise<Answer> {
  const { pathname, search } = new URL(uri);
  const url = new URL(`${baseUrl}${pathname}${search}`);
  for (const [name, value] of entriesOf(params)) url.searchParams.append(name, value);
  const login = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
  const form = data === undefined ? {} : { body: new URLSearchParams(entriesOf(data)).toString() };
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, {
      method: method.toUpperCase(),
      headers: { ...(headers as Record<string, string>), authorization: `Basic ${login}` },
      ...form,
      signal: AbortSignal.timeout(timeoutMs),
    });
    body = await response.text();
  } catch (error) {
    throw smsErrorOf(error);
  }
  if (response.status >= 400) throw smsRefusal(response.status, response.headers.get("retry-after"), body);
  return { statusCode: response.status, body, headers: {} } as Answer;
}

function entriesOf(values: unknown): [string, string][] {
  return Object.entries((values ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)]);
}
