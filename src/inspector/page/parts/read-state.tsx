import { OutdatedPageError, ServerError, SignedOutError } from "../server/errors.js";
import { useSessionEnd } from "../server/session.js";
import { SignIn } from "../shell/signed-out.js";
import { useQuery } from "@tanstack/preact-query";
import type { ComponentType } from "preact";
import { partQuery } from "../server/load-part.js";

/** Shows why a call failed. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const isSignedOut = useSessionEnd() !== undefined && error instanceof SignedOutError;
  return (
    <div class="failure" role="alert">
      <p>
        <bdi>{messageOf(error, isSignedOut)}</bdi>
      </p>
      {error instanceof ServerError && !(error instanceof SignedOutError) && <p class="dim">{error.code}</p>}
      {isSignedOut && <SignIn />}
      {error instanceof OutdatedPageError && (
        <button
          type="button"
          onClick={() => {
            location.reload();
          }}
        >
          Reload the page
        </button>
      )}{" "}
      {onRetry !== undefined && !isSignedOut && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

function messageOf(error: unknown, isSignedOut: boolean): string {
  if (error instanceof SignedOutError && !isSignedOut) return "You were signed out. You are signed in again.";
  return error instanceof Error ? error.message : "the call failed";
}

/** Says that something loads, if that takes more than a moment. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what}…
    </p>
  );
}

/**
 * Returns a component that loads another one when it is shown. A failure is shown in its place, with a way to try again.
 *
 * @param name - Tells the part from others.
 * @param what - What is being loaded, such as `the page`.
 */
export function lazyPart<Props extends object>(
  name: string,
  what: string,
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  return function LazyPart(props: Props) {
    const { data: Part, error, refetch } = useQuery(partQuery(name, load));
    if (Part !== undefined) return <Part {...props} />;
    if (error === null) return <Loading what={what} />;
    return <Failure error={error} onRetry={() => void refetch()} />;
  };
}
