import { element, part } from "@lockstep/app-kit/page/element";
import { createClient, type LiveEvents, type LiveStatus } from "@lockstep/client";
import { Bell } from "./bell.ts";
import {
  type AskedJob,
  BriefApi,
  type KnownPerson,
  notificationEvents,
  type ToldNotification,
} from "./brief-api.ts";
import { PersonView } from "./person-view.ts";
import { followLink, showSignIn, signOut } from "./sign-in-form.ts";
import { Toasts } from "./toasts.ts";

const person = part("person", HTMLSelectElement);
const live = part("live", HTMLSpanElement);
const briefNow = part("brief-now", HTMLButtonElement);
const signOutButton = part("sign-out", HTMLButtonElement);
const toasts = new Toasts(part("toasts", HTMLDivElement));
const bell = new Bell();
const view = new PersonView({
  split: (projectId) => void ask({ type: "generate_phases", projectId }),
  retry: (jobId) => void api.retry(jobId).catch(showError),
});
const drawnAfter = ["job.completed", "job.retrying", "job.retried", "job.failed", "job.cancelled"];
const liveWords: Record<LiveStatus["state"], string> = {
  ...{ connecting: "connecting", live: "live", polling: "live, every few seconds" },
  ...{ reconnecting: "reconnecting", paused: "paused", closed: "" },
};

let people: readonly KnownPerson[] = [];
let api = new BriefApi("");
let following: LiveEvents | null = null;
let told: EventSource | null = null;
let drawing: number | undefined;
let draws = 0;
let newestDrawn = 0;
let missedTimer: number | undefined;

/** Shows one person, and follows what happens to their jobs and what they are told. */
async function change(): Promise<void> {
  following?.close();
  told?.close();
  toasts.clear();
  history.replaceState(null, "", `?person=${encodeURIComponent(person.value)}`);
  const asked = new BriefApi(person.value);
  api = asked;
  const timeZone = people.find(({ id }) => id === person.value)?.timeZone ?? "UTC";
  bell.of(timeZone, (upToId) => void asked.markRead(upToId).catch(() => {}));
  told = asked.notifications();
  let missed = 0;
  for (const event of notificationEvents) {
    told.addEventListener(event, ({ data, lastEventId }) => {
      const notification = JSON.parse(data) as ToldNotification;
      bell.add(notification, Number(lastEventId));
      if (notification.isRead) return;
      if (!notification.isMissed) {
        toasts.show(notification.text, event === "brief_failed" ? "trouble" : "news");
        return;
      }
      missed += 1;
      clearTimeout(missedTimer);
      missedTimer = setTimeout(() => toasts.show(missedText(missed)), 200);
    });
  }
  const client = createClient({ baseUrl: "/lockstep", token: async () => (await asked.token()).token });
  following = client.follow(
    { onStatus: showStatus },
    (message) => {
      if (message.type === "job" && api === asked && drawnAfter.includes(message.event.kind)) drawSoon();
    },
    (error) => toasts.show(`Live updates have stopped: ${String(error)}`, "trouble"),
  );
  await draw();
}

async function ask(job: AskedJob): Promise<void> {
  try {
    const { created, isRetried } = await api.add(job);
    if (!created && !isRetried) toasts.show("Today's brief exists already, or is on its way.");
  } catch (error) {
    showError(error);
  }
}

function showError(error: unknown): void {
  toasts.show(error instanceof Error ? error.message : String(error), "trouble");
}

async function draw(): Promise<void> {
  const asked = api;
  const turn = ++draws;
  const answer = await asked.person();
  // Another person may have been chosen in the meantime, or a later answer may have come first.
  if (api !== asked || turn < newestDrawn) return;
  newestDrawn = turn;
  view.draw(answer);
}

// Several changes often come together.
function drawSoon(): void {
  clearTimeout(drawing);
  drawing = setTimeout(() => void draw().catch(() => {}), 100);
}

function showStatus({ state }: LiveStatus): void {
  live.dataset.state = state;
  live.textContent = liveWords[state];
}

function missedText(count: number): string {
  return count === 1
    ? "One notification came while you were away."
    : `${count} notifications came while you were away.`;
}

signOutButton.onclick = () => void signOut().catch(showError);
// A link that is opened in this very tab changes nothing but what stands behind the "#".
addEventListener("hashchange", () => location.reload());
briefNow.onclick = () => void ask({ type: "generate_daily_brief" });
person.onchange = () => void change().catch((error) => toasts.show(String(error), "trouble"));

try {
  const wrong = await followLink();
  const known = await BriefApi.people();
  people = known.people;
  person.replaceChildren(...people.map(({ id, name }) => element("option", { value: id }, name)));
  const chosen = new URLSearchParams(location.search).get("person");
  if (people.some(({ id }) => id === chosen)) person.value = chosen ?? "";
  const isOut = known.signsIn && people.length === 0;
  signOutButton.hidden = !known.signsIn || isOut;
  if (isOut) showSignIn();
  else await change();
  if (wrong !== null) toasts.show(wrong, "trouble");
} catch (error) {
  toasts.show(`The page could not be loaded: ${String(error)} Reload it to try again.`, "trouble");
}
