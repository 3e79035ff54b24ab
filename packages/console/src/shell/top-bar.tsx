import { Keyboard, Menu as MenuIcon, Moon, Search, Sun } from "lucide-react";
import { changeSettings, isDark, useSettings } from "../settings/settings.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { EnvironmentBadge } from "./environment-badge.tsx";
import { LiveIndicator } from "./live-indicator.tsx";
import { NoticeBell } from "./notice-bell.tsx";

export interface TopBarProps {
  readonly onPalette: () => void;
  readonly onShortcuts: () => void;
  /** Only where the pages are not beside the content. */
  readonly onNav?: (() => void) | undefined;
}

export function TopBar({ onPalette, onShortcuts, onNav }: TopBarProps) {
  useSettings();
  const ThemeIcon = isDark() ? Sun : Moon;
  return (
    <div className="sticky top-0 z-30 flex h-13 items-center gap-1 border-b bg-panel px-2 sm:gap-2 sm:px-4 lg:px-6">
      {onNav !== undefined && (
        <Button look="quiet" size="icon" aria-label={text.shell.openNavigation} onClick={onNav}>
          <MenuIcon size={19} aria-hidden />
        </Button>
      )}
      <button
        type="button"
        onClick={onPalette}
        className="flex h-8.5 min-w-0 flex-1 items-center gap-2 rounded-md border border-edge/60 bg-page px-2.5 text-muted hover:border-edge sm:max-w-md"
      >
        <Search size={15} aria-hidden className="shrink-0" />
        <span className="truncate">{text.shell.paletteHint}</span>
        <kbd className="ms-auto hidden shrink-0 rounded border px-1.5 font-mono text-2xs leading-5 sm:inline">
          Ctrl K
        </kbd>
      </button>
      <div className="ms-auto flex items-center">
        <EnvironmentBadge className="me-1 max-sm:hidden" />
        <LiveIndicator />
        <Button
          look="quiet"
          size="icon"
          className="max-sm:hidden"
          aria-label={text.shell.shortcuts}
          title={`${text.shell.shortcuts} (?)`}
          onClick={onShortcuts}
        >
          <Keyboard size={17} aria-hidden />
        </Button>
        <Button
          look="quiet"
          size="icon"
          aria-label={text.shell.theme}
          title={`${text.shell.theme} (t)`}
          onClick={() => changeSettings({ theme: isDark() ? "light" : "dark" })}
        >
          <ThemeIcon size={17} aria-hidden />
        </Button>
        <NoticeBell />
      </div>
    </div>
  );
}
