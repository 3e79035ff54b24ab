import { part } from "@lockstep/app-kit/page/element";

const screens = ["today", "messages", "settings", "welcome"] as const;
export type ScreenName = (typeof screens)[number];

const titles: Readonly<Record<ScreenName, string>> = {
  ...{ today: "Daily brief", messages: "Messages · Daily brief" },
  ...{ settings: "Settings · Daily brief", welcome: "Register · Daily brief" },
};

/** The screen that stands behind the # of the address. */
export function screenOf(hash: string): ScreenName {
  const name = hash.replace(/^#\/?/, "");
  return screens.find((one) => one === name) ?? "today";
}

/** `isMoved`: from another screen, so that the focus goes along. */
export function showScreen(name: ScreenName, isMoved: boolean): void {
  for (const screen of document.querySelectorAll<HTMLElement>("[data-screen]"))
    screen.hidden = screen.dataset.screen !== name;
  for (const tab of part("tabs", HTMLElement).querySelectorAll("a")) {
    if (screenOf(new URL(tab.href).hash) === name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = titles[name];
  if (!isMoved) return;
  part("view", HTMLElement).focus({ preventScroll: true });
  window.scrollTo(0, 0);
}
