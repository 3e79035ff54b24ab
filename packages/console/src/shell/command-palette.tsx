import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Bookmark, CornerDownLeft, Keyboard, Layers, Plus, Search, SunMoon, Workflow } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useMay } from "../api/me-api.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { type JobsSearch, viewSearch } from "../components/jobs/jobs-search.ts";
import { shortId } from "../format/short-id.ts";
import { changeSettings, isDark } from "../settings/settings.ts";
import { useSavedViews } from "../settings/view-store.ts";
import { text } from "../text/text.ts";
import { Dialog } from "../ui/dialog.tsx";
import { openNewJob } from "./new-job-layer.ts";
import { navPages } from "./pages.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface CommandPaletteProps {
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

export function CommandPalette({ onClose, onShortcuts }: CommandPaletteProps) {
  const [words, setWords] = useState("");
  const navigate = useNavigate();
  const pipelines = useQuery(pipelinesQuery).data ?? [];
  const views = useSavedViews();
  const mayAdd = useMay("jobs.add");
  const id = words.trim();
  const go = (to: string) => {
    onClose();
    void navigate({ to });
  };
  const goToJobs = (search: JobsSearch) => {
    onClose();
    void navigate({ to: "/jobs", search });
  };

  return (
    <Dialog title={text.shell.palette} onClose={onClose} isBare>
      <Command label={text.shell.palette} loop>
        <div className="flex items-center gap-3 border-b px-4">
          <Search size={17} aria-hidden className="shrink-0 text-muted" />
          <Command.Input
            autoFocus
            value={words}
            onValueChange={setWords}
            placeholder={text.shell.palettePlaceholder}
            className="h-12 w-full bg-transparent outline-none placeholder:text-muted"
          />
        </div>
        <Command.List className="max-h-[60vh] overflow-y-auto p-2">
          <Command.Empty className="px-3 py-6 text-center text-muted">
            {text.shell.paletteNothing}
          </Command.Empty>
          {uuid.test(id) && (
            <Entry
              forced
              icon={<Layers size={16} aria-hidden />}
              value={id}
              onSelect={() => go(`/jobs/${id}`)}
            >
              {text.shell.paletteOpenJob(shortId(id))}
            </Entry>
          )}
          <Group heading={text.shell.paletteGroupPages}>
            {navPages.map(({ to, label, icon: Icon, key }) => (
              <Entry
                key={to}
                value={label}
                icon={<Icon size={16} aria-hidden />}
                hint={key === undefined ? undefined : `g ${key}`}
                onSelect={() => go(to)}
              >
                {label}
              </Entry>
            ))}
          </Group>
          {views.length > 0 && (
            <Group heading={text.shell.paletteGroupViews}>
              {views.map(({ name, query }) => (
                <Entry
                  key={name}
                  value={`view ${name}`}
                  icon={<Bookmark size={16} aria-hidden />}
                  onSelect={() => goToJobs(viewSearch(query))}
                >
                  {name}
                </Entry>
              ))}
            </Group>
          )}
          <Group heading={text.shell.paletteGroupPipelines}>
            {pipelines.map(({ name }) => (
              <Entry
                key={name}
                value={`pipeline ${name}`}
                icon={<Workflow size={16} aria-hidden />}
                onSelect={() => go(`/pipelines/${encodeURIComponent(name)}`)}
              >
                {name}
              </Entry>
            ))}
          </Group>
          <Group heading={text.shell.paletteGroupActions}>
            {mayAdd && (
              <Entry
                value={text.jobs.add}
                icon={<Plus size={16} aria-hidden />}
                onSelect={() => {
                  onClose();
                  openNewJob({});
                }}
              >
                {text.jobs.add}
              </Entry>
            )}
            <Entry
              value={text.shell.theme}
              icon={<SunMoon size={16} aria-hidden />}
              hint="t"
              onSelect={() => {
                changeSettings({ theme: isDark() ? "light" : "dark" });
                onClose();
              }}
            >
              {text.shell.theme}
            </Entry>
            <Entry
              value={text.shell.shortcuts}
              icon={<Keyboard size={16} aria-hidden />}
              hint="?"
              onSelect={onShortcuts}
            >
              {text.shell.shortcuts}
            </Entry>
          </Group>
          {id !== "" && !uuid.test(id) && (
            <Entry
              forced
              value={`find ${id}`}
              icon={<CornerDownLeft size={16} aria-hidden />}
              onSelect={() => goToJobs({ filter: id })}
            >
              {text.shell.paletteSearch(id)}
            </Entry>
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

interface EntryProps {
  readonly value: string;
  readonly icon: ReactNode;
  readonly hint?: string | undefined;
  readonly onSelect: () => void;
  readonly children: ReactNode;
  /** Shown whatever was typed. */
  readonly forced?: boolean;
}

function Entry({ value, icon, hint, onSelect, children, forced }: EntryProps) {
  return (
    <Command.Item
      value={value}
      forceMount={forced ?? false}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-3 rounded-md px-2.5 aria-selected:bg-selected"
    >
      <span className="text-muted">{icon}</span>
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {hint !== undefined && <kbd className="font-mono text-xs text-muted">{hint}</kbd>}
    </Command.Item>
  );
}
