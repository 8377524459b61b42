"""Runs an agent of LangChain's `create_agent` on Python's saver. See answering.py for the protocol."""

import warnings

from answering import answer_all
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.types import Command

warnings.simplefilter("ignore")

SENT = []
"""The receivers of the mails that were sent in a run."""


class Mailer(BaseChatModel):
    """A model that asks to send so many mails, and then answers."""

    @property
    def _llm_type(self):
        return "mailer"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        last = messages[-1]
        count = int(last.content) if isinstance(last, HumanMessage) else 0
        calls = [{"name": "send_mail", "args": {"to": f"{n}"}, "id": f"{len(messages)}-{n}"} for n in range(count)]
        return ChatResult(generations=[ChatGeneration(message=AIMessage("" if calls else "done", tool_calls=calls))])


@tool
def send_mail(to: str) -> str:
    """Sends a mail."""
    SENT.append(to)
    return f"sent {to}"


def run(saver, request):
    """Starts a run with `say` or `resume`, or continues the pending run. It stops before the nodes `before`."""
    SENT.clear()
    asks = [HumanInTheLoopMiddleware(interrupt_on={"send_mail": True})] if request.get("asks") else []
    agent = create_agent(Mailer(), [send_mail], middleware=asks, checkpointer=saver)
    config = {"configurable": {"thread_id": request["thread"]}}
    given = {"messages": [HumanMessage(request["say"])]} if "say" in request else None
    if "resume" in request:
        given = Command(resume=request["resume"])
    failed = None
    try:
        agent.invoke(given, config, interrupt_before=request.get("before", []))
    except Exception as error:
        failed = repr(error)
    state = agent.get_state(config)
    questions = [list(interrupt.value) for task in state.tasks for interrupt in task.interrupts]
    return {
        "sent": sorted(SENT),
        "failed": failed,
        "next": list(state.next),
        "questions": questions,
        "last": state.values["messages"][-1].content,
    }


answer_all({"run": run}, lambda connection: PostgresSaver(connection))
