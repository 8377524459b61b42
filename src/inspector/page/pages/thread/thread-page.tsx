import type { Route } from "../../routes/route.js";

/** A thread. */
export function ThreadPage({ route }: { readonly route: Route }) {
  const [threadId = ""] = route.subjects;
  return (
    <h1>
      <bdi>{threadId}</bdi>
    </h1>
  );
}
