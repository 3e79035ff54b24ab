import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { Job } from "../../api/contract.ts";
import { type JobWithVersion, jobKeys } from "../../api/jobs-api.ts";
import { ProblemError } from "../../api/problem-error.ts";
import { signalJob } from "../../api/waits-api.ts";
import { fieldKind, type JsonSchema, startValue } from "../../new-job/json-schema.ts";
import { PayloadFields } from "../../new-job/payload-fields.tsx";
import { useSchemaValue } from "../../new-job/use-schema-value.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toasts.ts";
import { tellFailure } from "../shared/tell-failure.ts";

export interface SignalFormProps {
  readonly job: JobWithVersion;
  readonly signal: string;
  readonly wait: NonNullable<Job["wait"]>;
}

/** The answer that a wait asks for, made from its schema. */
export function SignalForm({ job, signal, wait }: SignalFormProps) {
  const client = useQueryClient();
  const schema = (wait.schema ?? {}) as JsonSchema;
  const start = startValue(schema) ?? (fieldKind(schema) === "group" ? {} : null);
  const { parsed, complaints, check, fields } = useSchemaValue(schema, start);
  const [refused, setRefused] = useState<string | null>(null);

  const send = useMutation({
    mutationFn: (answer: unknown) => signalJob(job.id, signal, answer, job.etag),
    onSuccess: ({ answer }) =>
      toast({
        kind: "done",
        message: answer === "signalled" ? text.waits.sentToast : text.waits.keptToast,
      }),
    onError: (error) => {
      const status = error instanceof ProblemError ? error.status : 0;
      if (error instanceof ProblemError && status === 422) setRefused(error.detail);
      else if (error instanceof ProblemError && (status === 409 || status === 412)) {
        toast({ kind: "note", message: text.job.changed, detail: error.detail });
      } else tellFailure(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: jobKeys.all }),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(null);
    if (check() && parsed !== null) send.mutate(parsed.value);
  };

  return (
    <form noValidate onSubmit={submit} className="max-w-xl space-y-4 border-t pt-4">
      <PayloadFields legend={text.waits.answer} complaints={complaints} {...fields} />
      {refused !== null && (
        <p role="alert" className="text-table text-danger">
          {refused}
        </p>
      )}
      <Button look="primary" type="submit" isBusy={send.isPending}>
        {send.isPending ? text.waits.sending : text.waits.send}
      </Button>
    </form>
  );
}
