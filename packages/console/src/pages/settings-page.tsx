import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { apiBase } from "../api/base-path.ts";
import { meQuery } from "../api/me-api.ts";
import { zoneName } from "../format/time.ts";
import { changeSettings, useSettings } from "../settings/settings.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";
import { Panel } from "../ui/panel.tsx";

export function SettingsPage() {
  const settings = useSettings();
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader title={text.settings.title} below={text.settings.kept} />
      <div className="grid max-w-4xl gap-4">
        <Panel>
          <div className="divide-y">
            <Choice
              label={text.settings.theme}
              value={settings.theme}
              choices={text.settings.themes}
              onChange={(theme) => changeSettings({ theme })}
            />
            <Choice
              label={text.settings.density}
              value={settings.density}
              choices={text.settings.densities}
              onChange={(density) => changeSettings({ density })}
            />
            <Choice
              label={text.settings.timeZone}
              value={settings.timeZone}
              choices={{ local: text.settings.ofBrowser(zoneName("local")), utc: zoneName("utc") }}
              onChange={(timeZone) => changeSettings({ timeZone })}
            />
            <Choice
              label={text.settings.times}
              value={settings.times}
              choices={text.settings.timesChoices}
              onChange={(times) => changeSettings({ times })}
            />
            <Switch
              label={text.settings.live}
              hint={text.settings.liveHint}
              isOn={settings.isLive}
              onChange={(isLive) => changeSettings({ isLive })}
            />
            <Switch
              label={text.settings.shortcuts}
              hint={text.settings.shortcutsHint}
              isOn={settings.hasShortcuts}
              onChange={(hasShortcuts) => changeSettings({ hasShortcuts })}
            />
          </div>
        </Panel>
        <Panel title={text.settings.access}>
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1.5">
            <dt className="text-muted">{text.settings.user}</dt>
            <dd>{me?.user ?? "–"}</dd>
            <dt className="text-muted">{text.settings.rights}</dt>
            <dd>{me?.rights.join(", ") ?? "–"}</dd>
            {me?.owner && (
              <>
                <dt className="text-muted">{text.job.owner}</dt>
                <dd>{text.settings.ownerBound(me.owner)}</dd>
              </>
            )}
            <dt className="text-muted">{text.settings.api}</dt>
            <dd>
              <a href={`${apiBase}/openapi.json`} className="text-primary hover:underline">
                {text.settings.openapi}
              </a>
            </dd>
          </dl>
        </Panel>
      </div>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, choices, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <legend className="float-left font-medium">{label}</legend>
      <div className="inline-flex flex-wrap rounded-lg border border-edge/60 p-0.5">
        {(Object.entries(choices) as [Value, string][]).map(([choice, word]) => (
          <label
            key={choice}
            className={cn(
              "flex h-8 cursor-pointer items-center rounded-md px-3 has-focus-visible:outline-2 has-focus-visible:outline-primary",
              choice === value ? "bg-selected font-medium" : "text-muted hover:text-ink",
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={choice === value}
              onChange={() => onChange(choice)}
            />
            {word}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly hint: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  return (
    <label className="flex cursor-pointer items-center justify-between gap-6 py-3">
      <span>
        <span className="block font-medium">{label}</span>
        <span className="text-table text-muted">{hint}</span>
      </span>
      <span className="relative inline-flex h-6 w-10 shrink-0 rounded-full has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary">
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          className="peer sr-only"
          checked={isOn}
          onChange={(event) => onChange(event.target.checked)}
        />
        <span
          aria-hidden
          className="absolute inset-0 rounded-full border border-edge bg-well peer-checked:border-primary peer-checked:bg-primary"
        />
        <span
          aria-hidden
          className="absolute top-1 start-1 size-4 rounded-full bg-edge transition-transform duration-100 peer-checked:translate-x-4 rtl:peer-checked:-translate-x-4 peer-checked:bg-on-primary"
        />
      </span>
    </label>
  );
}
