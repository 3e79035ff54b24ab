import { element, part } from "@lockstep/app-kit/page/element";
import { createClient, type LiveStatus } from "@lockstep/client";
import { analysisApi, Refusal } from "./analysis-api.ts";
import { analysisScreen, sharedScreen } from "./analysis-screen.ts";
import { compareScreen } from "./compare-screen.ts";
import { homeScreen } from "./home-screen.ts";
import type { Screen } from "./screen.ts";

const view = part("view", HTMLElement);
const live = part("live", HTMLSpanElement);
const words: Record<LiveStatus["state"], string> = {
  ...{ connecting: "connecting", live: "live", polling: "live, every few seconds" },
  ...{ reconnecting: "reconnecting", paused: "paused", closed: "" },
};
// A place in the queue changes without an event of one's own job.
const lookEveryMs = 3_000;

let screen: Screen | null = null;
let turn = 0;
let isUpdating = false;
let isWanted = false;
let isFollowing = false;

/** What the part of the address behind the # asks for. */
function screenOf(hash: string): Promise<Screen> {
  const [, name = "", first = "", second = ""] = hash.split("/").map(decodeURIComponent);
  if (name === "analysis") return analysisScreen(first);
  if (name === "compare") return compareScreen(first, second);
  if (name === "shared") return sharedScreen(first);
  return homeScreen();
}

async function show(): Promise<void> {
  const asked = ++turn;
  const isFirst = screen === null;
  const next = await screenOf(location.hash).catch(troubleScreen);
  // Another screen may have been asked for in the meantime.
  if (asked !== turn) return next.close?.();
  screen?.close?.();
  screen = next;
  document.title = next.title === "Website analysis" ? next.title : `${next.title} · Website analysis`;
  view.replaceChildren(...next.content);
  if (!isFirst) view.focus();
  window.scrollTo(0, 0);
  // Whoever reads a shared report is nobody here, and follows nothing.
  if (!location.hash.startsWith("#/shared/")) follow();
}

function troubleScreen(error: unknown): Screen {
  const isGone = error instanceof Refusal && error.status === 404;
  const text = isGone
    ? "There is no such report, or it is not yours, or its link was taken back, or it is no longer kept."
    : `This could not be loaded: ${error instanceof Error ? error.message : String(error)}`;
  return {
    title: isGone ? "No such report" : "Trouble",
    content: [
      element(
        "section",
        { class: "panel" },
        element("h1", { class: "title" }, isGone ? "No such report" : "Something went wrong"),
        element("p", {}, text),
        element("div", { class: "row" }, element("a", { class: "button", href: "#/" }, "To the start")),
      ),
    ],
  };
}

/** One at a time; what is asked for meanwhile is done once more at the end. */
async function update(): Promise<void> {
  isWanted = true;
  if (isUpdating) return;
  isUpdating = true;
  while (isWanted) {
    isWanted = false;
    await screen?.update?.().catch(() => {});
  }
  isUpdating = false;
}

function follow(): void {
  if (isFollowing) return;
  isFollowing = true;
  const client = createClient({ baseUrl: "/lockstep", token: analysisApi.token });
  client.follow(
    {
      onStatus: ({ state }) => {
        live.dataset.state = state;
        live.textContent = words[state];
      },
    },
    () => void update(),
    () => {
      live.dataset.state = "closed";
      live.textContent = "not live: reload the page";
    },
  );
  setInterval(() => document.visibilityState === "visible" && void update(), lookEveryMs);
}

window.addEventListener("hashchange", () => void show());
await show();
