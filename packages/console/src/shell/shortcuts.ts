import { useEffect, useRef } from "react";
import { settings } from "../settings/settings.ts";

type Handler = () => void;

const handlers = new Map<string, Handler[]>();
let before = "";
let beforeAt = 0;
const pairWithinMs = 1_200;

/** A key ("r"), or two one after the other ("g j"). The one that came last wins while it is there. */
export function useShortcut(keys: string, handler: Handler, isOn = true): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    if (!isOn) return;
    const mine = () => latest.current();
    handlers.set(keys, [...(handlers.get(keys) ?? []), mine]);
    return () => {
      handlers.set(
        keys,
        (handlers.get(keys) ?? []).filter((each) => each !== mine),
      );
    };
  }, [keys, isOn]);
}

export function listenForShortcuts(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const isPalette = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
    if (isPalette) return run("mod k", event);
    // Single letters: never in a field, with a modifier, under a dialog, or where they are switched off.
    if (event.ctrlKey || event.metaKey || event.altKey || !settings().hasShortcuts) return;
    if (isField(event.target) || document.querySelector("dialog[open]") !== null) return;
    const pair = performance.now() - beforeAt < pairWithinMs ? `${before} ${event.key}` : "";
    before = event.key;
    beforeAt = performance.now();
    if (pair !== "" && run(pair, event)) return;
    run(event.key, event);
  };
  addEventListener("keydown", onKeyDown);
  return () => removeEventListener("keydown", onKeyDown);
}

function run(keys: string, event: KeyboardEvent): boolean {
  const handler = handlers.get(keys)?.at(-1);
  if (handler === undefined) return false;
  event.preventDefault();
  before = "";
  handler();
  return true;
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return (
    target.isContentEditable ||
    ["TEXTAREA", "SELECT"].includes(target.tagName) ||
    ["menu", "menuitem"].includes(target.role ?? "")
  );
}
