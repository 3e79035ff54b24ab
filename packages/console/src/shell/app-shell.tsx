import { useQuery } from "@tanstack/react-query";
import { Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { meQuery } from "../api/me-api.ts";
import { statsQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { usePollMs } from "../live/live-status.ts";
import { useLive } from "../live/use-live.ts";
import { changeSettings, isDark, useSettings } from "../settings/settings.ts";
import { text } from "../text/text.ts";
import { Toaster } from "../ui/toaster.tsx";
import { Announcer } from "./announcer.tsx";
import { lazyDialog } from "./lazy-dialog.tsx";
import { NavSheet } from "./nav-sheet.tsx";
import { openNewJob, useNewJobLayer } from "./new-job-layer.ts";
import { navPages } from "./pages.ts";
import { ShortcutSheet } from "./shortcut-sheet.tsx";
import { listenForShortcuts, useShortcut } from "./shortcuts.ts";
import { SideNav } from "./side-nav.tsx";
import { StaleBanner } from "./stale-banner.tsx";
import { TopBar } from "./top-bar.tsx";
import { useMedia } from "./use-media.ts";

const CommandPalette = lazyDialog(
  () => import("./command-palette.tsx"),
  "CommandPalette",
  text.shell.palette,
);

const NewJobDialog = lazyDialog(
  () => import("../new-job/new-job-dialog.tsx"),
  "NewJobDialog",
  text.newJob.title,
);

export function AppShell() {
  const newJob = useNewJobLayer();
  const [layer, setLayer] = useState<"palette" | "shortcuts" | "nav" | null>(null);
  const isWide = useMedia("(min-width: 64rem)");
  const isPhone = useMedia("(max-width: 47.99rem)");
  const close = () => setLayer(null);

  useNumbers();
  useFocusOnNavigation();
  useKeys(setLayer);

  return (
    <div className="flex min-h-dvh">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-primary px-3 py-2 text-on-primary focus:not-sr-only focus:fixed focus:top-2 focus:start-2"
      >
        {text.shell.skip}
      </a>
      {!isPhone && (
        <div className={isWide ? "w-56 shrink-0" : "w-15 shrink-0"}>
          <div className={`fixed inset-y-0 border-e bg-panel ${isWide ? "w-56" : "w-15"}`}>
            <SideNav isNarrow={!isWide} />
          </div>
        </div>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <TopBar
          onPalette={() => setLayer("palette")}
          onShortcuts={() => setLayer("shortcuts")}
          onNav={isPhone ? () => setLayer("nav") : undefined}
        />
        <StaleBanner />
        <ReadOnlyLine />
        <main id="content" tabIndex={-1} className="mx-auto w-full max-w-[100rem] flex-1 px-4 py-5 lg:px-6">
          <Outlet />
        </main>
      </div>
      {layer === "palette" && <CommandPalette onClose={close} onShortcuts={() => setLayer("shortcuts")} />}
      {layer === "shortcuts" && <ShortcutSheet onClose={close} />}
      {layer === "nav" && <NavSheet onClose={close} />}
      {newJob !== null && <NewJobDialog start={newJob} onClose={() => openNewJob(null)} />}
      <Toaster />
      <Announcer />
    </div>
  );
}

/** The numbers beside the pages' names are wanted on every page. */
function useNumbers(): void {
  const pollMs = usePollMs();
  useLive({ topics: ["stats", "workers"] });
  useQuery({ ...statsQuery, refetchInterval: pollMs });
  useQuery({ ...workersQuery, refetchInterval: pollMs });
}

/** Someone who does not see the page change hears its heading. */
function useFocusOnNavigation(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation !== undefined && pathChanged) {
          document.querySelector<HTMLElement>("main h1")?.focus({ preventScroll: true });
        }
      }),
    [router],
  );
}

function useKeys(setLayer: (layer: "palette" | "shortcuts") => void): void {
  const { isLive } = useSettings();
  useEffect(listenForShortcuts, []);
  useShortcut("mod k", () => setLayer("palette"));
  useShortcut("?", () => setLayer("shortcuts"));
  useShortcut(".", () => changeSettings({ isLive: !isLive }));
  useShortcut("t", () => changeSettings({ theme: isDark() ? "light" : "dark" }));
  for (const { key, to } of navPages) {
    useGoTo(key, to);
  }
}

function useGoTo(key: string | undefined, to: string): void {
  const navigate = useNavigate();
  useShortcut(`g ${key}`, () => void navigate({ to }), key !== undefined);
}

function ReadOnlyLine() {
  const { data } = useQuery(meQuery);
  const isReadOnly = data?.rights.every((right) => !/add|cancel|retry|signal|pause|change/.test(right));
  if (!isReadOnly) return null;
  return <p className="border-b bg-panel px-4 py-1.5 text-table text-muted lg:px-6">{text.shell.readOnly}</p>;
}
