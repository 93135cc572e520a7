"""What Schemathesis reports and is no defect of Crier, each with its reason. All else fails the run."""

import json
import re

import schemathesis

# A request is of the right form, and is refused for what it asks: the document gives these codes for the operation.
REFUSALS = {
    "unsafe_url",
    "media_unacceptable",
    "post_refused",
    "too_early",
    "too_late",
    "plan_limit",
    "limit_reached",
    # A key of a request that came before, with another Post.
    "idempotency_key_reused",
}

# Rules of texts and of several fields at once. JSON Schema can not say most of them; the others hold since before the
# document was given out, and a bound that is added to it would break clients that are generated from it.
RULES = [
    r"contains U\+0000",
    r"contains half of a surrogate pair",
    r"must have at most \d+ combining marks in a row",
    r"must be one line, and not empty",
    r"firstComment must not be empty",
    r"categoryId must be the number of a category",
    r"url must be an https address",
    r"url must be an address such as https://example.com/webhooks",
    r"channelOptions must be keyed by ids that channelIds names",
    r"channelIds must not name a Channel twice",
    r"title must be the same as youtube.title",
    r"must be a real ISO 8601 date-time with a zone",
    r"Idempotency-Key must be 1 to 255 printable ASCII characters",
    # Only the list itself gives cursors.
    r"cursor is not one that this list gave",
]


def error_of(response):
    try:
        return json.loads(response.content)["error"]
    except (ValueError, KeyError, TypeError):
        return {}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    kind = type(failure).__name__
    if kind == "RejectedPositiveData":
        error = error_of(response)
        if response.status_code == 422:
            return error.get("code") not in REFUSALS
        if response.status_code == 400:
            return not any(re.search(rule, error.get("message", "")) for rule in RULES) and not is_huge(case.body)
    if kind == "AcceptedNegativeData" and case.operation.label == "POST /api/posts/bulk":
        # Each Post of a bulk is judged by itself: the answer is a 200 that has the refusal of each in its place.
        items = json.loads(response.content).get("data", [])
        return not any(item.get("status", 0) >= 400 for item in items)
    return True


def is_huge(body):
    """A length of a file beyond the whole numbers of JavaScript, millions of times what is taken."""
    return isinstance(body, dict) and isinstance(body.get("bytes"), (int, float)) and body["bytes"] > 2**53


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def map_case(context, case):
    """Options are keyed by Channels of the Post, which the document can only say in words."""
    if not is_valid(case) or not isinstance(case.body, dict):
        return case
    for post in [case.body, *case.body.get("posts", [])]:
        if not isinstance(post, dict) or not isinstance(post.get("channelOptions"), dict):
            continue
        ids = post.get("channelIds") or []
        post["channelOptions"] = dict(zip(ids, post["channelOptions"].values()))
    return case
