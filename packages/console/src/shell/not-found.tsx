import { EmptyState } from "../components/shared/states.tsx";
import { text } from "../text/text.ts";
import { PageHeader } from "./page-header.tsx";

export function NotFound() {
  return (
    <>
      <PageHeader title={text.shell.notFound} />
      <EmptyState title={text.shell.notFoundAdvice} />
    </>
  );
}
