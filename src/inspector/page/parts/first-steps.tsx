import type { ComponentChildren } from "preact";
import "./first-steps.css";

const DOCS = "https://github.com/langgraph-checkpoint-kysely/langgraph-checkpoint-kysely/blob/main/docs/";

interface FirstStepsProps {
  /** What is empty, and when something appears. */
  readonly children: ComponentChildren;
  readonly sample: string;
  /** The page of the documentation, such as `store.md`. */
  readonly docs: string;
}

/** Says how to get the first entry of an empty list. */
export function FirstSteps({ children, sample, docs }: FirstStepsProps) {
  return (
    <div class="first-steps" role="status">
      {children}
      <pre class="mono">{sample}</pre>
      <p>
        <DocsLink page={docs} />
      </p>
    </div>
  );
}

/** Leads to a page of the documentation, such as `store.md`. */
export function DocsLink({ page }: { readonly page: string }) {
  return (
    <a href={`${DOCS}${page}`} target="_blank" rel="noreferrer noopener">
      Documentation: {page}
    </a>
  );
}
