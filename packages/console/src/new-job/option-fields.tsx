import { useState } from "react";
import type { NewJob } from "../api/jobs-api.ts";
import { text } from "../text/text.ts";

/** As they are written. */
export interface Options {
  readonly priority: string;
  readonly scheduledFor: string;
  readonly dedupKey: string;
  readonly owner: string;
  readonly tags: string;
}

export const noOptions: Options = { priority: "", scheduledFor: "", dedupKey: "", owner: "", tags: "" };

/** Which option a complaint of the server is about; null when it is about none of these. */
export function optionAt(pointer: string): keyof Options | null {
  const [, name = ""] = pointer.split("/");
  return Object.hasOwn(noOptions, name) ? (name as keyof Options) : null;
}

export interface OptionFieldsProps {
  readonly options: Options;
  readonly onChange: (options: Options) => void;
  /** By pointers into the body of the request. */
  readonly complaints: ReadonlyMap<string, string>;
}

export function OptionFields({ options, onChange, complaints }: OptionFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  const about = new Map([...complaints].map(([pointer, complaint]) => [optionAt(pointer), complaint]));
  about.delete(null);
  const fields: [name: keyof Options, label: string, hint: string | null, type: string][] = [
    ["priority", text.newJob.priority, text.newJob.priorityHint, "number"],
    ["scheduledFor", text.newJob.scheduledFor, null, "datetime-local"],
    ["dedupKey", text.newJob.dedupKey, text.newJob.dedupHint, "text"],
    ["owner", text.newJob.owner, null, "text"],
    ["tags", text.newJob.tags, text.newJob.tagsHint, "text"],
  ];
  return (
    <details
      className="group rounded-lg border px-3"
      open={isOpen || about.size > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex h-9 list-none items-center gap-2 font-medium">
        <span aria-hidden className="text-muted transition-transform group-open:rotate-90">
          ▸
        </span>
        {text.newJob.options}
      </summary>
      <div className="grid gap-3 pb-3 sm:grid-cols-2">
        {fields.map(([name, label, hint, type]) => (
          <label key={name} className="block">
            <span className="mb-1 block font-medium">{label}</span>
            <input
              type={type}
              className="field w-full"
              aria-invalid={about.has(name) || undefined}
              {...(name === "priority" ? { min: 1, max: 20 } : {})}
              value={options[name]}
              onChange={(event) => onChange({ ...options, [name]: event.target.value })}
            />
            {hint !== null && <span className="text-xs text-muted">{hint}</span>}
            {about.has(name) && (
              <span data-complaint className="mt-0.5 block text-table text-danger">
                {about.get(name)}
              </span>
            )}
          </label>
        ))}
      </div>
    </details>
  );
}

export function sentOptions({
  priority,
  scheduledFor,
  dedupKey,
  owner,
  tags,
}: Options): Omit<NewJob, "pipeline" | "payload"> {
  const list = tags
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    ...(priority === "" ? {} : { priority: Number(priority) }),
    ...(scheduledFor === "" ? {} : { scheduledFor: new Date(scheduledFor).toISOString() }),
    ...(dedupKey === "" ? {} : { dedupKey }),
    ...(owner === "" ? {} : { owner }),
    ...(list.length === 0 ? {} : { tags: list }),
  };
}
