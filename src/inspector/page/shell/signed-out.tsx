import { listen } from "../parts/effects.js";
import { useEffect, useState } from "preact/hooks";
import { checkSession } from "../server/call-server.js";
import { useSessionEnd } from "../server/session.js";
import { SignedOutError } from "../server/errors.js";
import "./signed-out.css";

/** Says that the person is signed out, until that is over. What the page shows and what was typed stay. */
export function SignedOutNotice() {
  const error = useSessionEnd();
  const isSignedOut = error !== undefined;
  useEffect(() => {
    if (!isSignedOut) return;
    // The person may come back from signing in elsewhere.
    const look = (): void => {
      if (!document.hidden) checkSession().catch(() => undefined);
    };
    return listen(window, ["visibilitychange", "focus"], look);
  }, [isSignedOut]);
  if (error === undefined) return null;
  return (
    <div class="signed-out" role="alert">
      <p>
        <bdi>{error.message}</bdi> What you have typed is still here.
      </p>
      <SignIn />
    </div>
  );
}

/** Leads a person who is signed out to where the application asks for that, and goes on afterwards. */
export function SignIn() {
  const [problem, setProblem] = useState("");
  const goOn = (): void => {
    setProblem("");
    checkSession().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : "";
      setProblem(error instanceof SignedOutError ? "You are still signed out." : message);
    });
  };
  return (
    <p class="sign-in">
      {/* Without the fragment, which a page for signing in could read. */}
      <a class="button" href="./" target="_blank" rel="noreferrer noopener">
        Sign in<span class="sr-only"> in another tab</span>
      </a>
      <button type="button" onClick={goOn}>
        Go on
      </button>
      <span role="status">{problem}</span>
    </p>
  );
}
