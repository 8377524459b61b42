import { OutdatedPageError, ServerError, SignedOutError } from "../server/errors.js";
import { useSessionEnd } from "../server/session.js";
import { SignIn } from "./sign-in.js";

interface FailureProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** Shows why a call failed. */
export function Failure({ error, onRetry }: FailureProps) {
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
