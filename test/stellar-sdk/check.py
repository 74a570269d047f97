"""Reads what the wallet signed with an implementation that shares no code with it, and builds the same once more itself.

Standard input: a JSON list of {facts, source, sequence, validUntil, fee, xdr, hash}. Standard output: a JSON list of what
differs, one list of words for each.
"""

import json
import sys

from stellar_sdk import Account, Asset, Keypair, Network, TextMemo, TransactionBuilder, TransactionEnvelope
from stellar_sdk.operation import Payment

PASSPHRASE = Network.TESTNET_NETWORK_PASSPHRASE


def asset_of(facts):
    return Asset(facts["asset"], facts["issuer"]) if "issuer" in facts else Asset.native()


def rebuilt(case):
    facts = case["facts"]
    builder = TransactionBuilder(
        Account(case["source"], int(case["sequence"]) - 1), PASSPHRASE, base_fee=case["fee"]
    )
    builder.append_payment_op(facts["to"], asset_of(facts), facts["amount"])
    builder.add_time_bounds(case["validFrom"], case["validUntil"])
    if "memo" in facts:
        builder.add_text_memo(facts["memo"])
    return builder.build().hash_hex()


def differences(case):
    facts = case["facts"]
    envelope = TransactionEnvelope.from_xdr(case["xdr"], PASSPHRASE)
    transaction = envelope.transaction
    (operation,) = transaction.operations
    memo = transaction.memo.memo_text.decode() if isinstance(transaction.memo, TextMemo) else None
    same = {
        "kind": isinstance(operation, Payment),
        "destination": operation.destination.account_id == facts["to"],
        "asset": operation.asset == asset_of(facts),
        "amount": Payment.to_xdr_amount(operation.amount) == Payment.to_xdr_amount(facts["amount"]),
        "memo": memo == facts.get("memo"),
        "source": transaction.source.account_id == case["source"],
        "sequence": transaction.sequence == int(case["sequence"]),
        "end": transaction.preconditions.time_bounds.max_time == case["validUntil"],
        "hash": envelope.hash_hex() == case["hash"],
        "same as built here": rebuilt(case) == case["hash"],
        "one signature": len(envelope.signatures) == 1,
    }
    try:
        Keypair.from_public_key(case["source"]).verify(envelope.hash(), envelope.signatures[0].signature)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, it is no signature
        same["signature"] = False
    return [name for name, holds in same.items() if not holds]


def accounts(case):
    return [Keypair.from_mnemonic_phrase(case["words"], index=index).public_key for index in case["indexes"]]


asked = json.load(sys.stdin)
json.dump(
    {
        "differences": [differences(case) for case in asked["payments"]],
        "accounts": [accounts(case) for case in asked["keys"]],
    },
    sys.stdout,
)
