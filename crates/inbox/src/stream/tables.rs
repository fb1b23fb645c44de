//! Tables for the senders that document the states of their objects.

use super::transitions::{Phase, Transitions};

/// Paymos invoices; the stream is `data.invoice_id`.
///
/// Eight kinds of events, five of them final. A paid invoice is never paid again, and a late `confirming` changes nothing.
/// `awaiting_payment` is a legitimate step back while the invoice is not final: the chain was reorganised. A payment after
/// the end does not change the status; it shows as `paid_late_at`.
///
/// Source: `src/types.ts` of <https://github.com/Paymos-labs/typescript-sdk>, `StatusMapper` of
/// <https://github.com/Paymos-labs/php-sdk>.
pub static PAYMOS_INVOICE: Transitions = Transitions::new(
    "paymos-invoice",
    &[
        Phase::new(
            "awaiting_payment",
            &["invoice.awaiting_payment"],
            &[
                "cancelled",
                "confirming",
                "expired",
                "paid",
                "paid_over",
                "underpaid",
                "underpaid_waiting",
            ],
        ),
        Phase::new(
            "confirming",
            &["invoice.confirming"],
            &[
                "awaiting_payment",
                "cancelled",
                "expired",
                "paid",
                "paid_over",
                "underpaid",
                "underpaid_waiting",
            ],
        ),
        Phase::new(
            "underpaid_waiting",
            &["invoice.underpaid_waiting"],
            &[
                "awaiting_payment",
                "cancelled",
                "confirming",
                "expired",
                "paid",
                "paid_over",
                "underpaid",
            ],
        ),
        Phase::new("paid", &["invoice.paid"], &[]),
        Phase::new("paid_over", &["invoice.paid_over"], &[]),
        Phase::new("underpaid", &["invoice.underpaid"], &[]),
        Phase::new("expired", &["invoice.expired"], &[]),
        Phase::new("cancelled", &["invoice.cancelled"], &[]),
    ],
);

/// Paymos withdrawals, refunds among them; the stream is `data.withdrawal_id`.
///
/// Source: `src/types.ts` of <https://github.com/Paymos-labs/typescript-sdk>, which names the five kinds; that the last
/// three end a withdrawal follows from their meaning.
pub static PAYMOS_WITHDRAWAL: Transitions = Transitions::new(
    "paymos-withdrawal",
    &[
        Phase::new(
            "created",
            &["withdrawal.created"],
            &["cancelled", "completed", "failed", "processing"],
        ),
        Phase::new("processing", &["withdrawal.processing"], &["cancelled", "completed", "failed"]),
        Phase::new("completed", &["withdrawal.completed"], &[]),
        Phase::new("failed", &["withdrawal.failed"], &[]),
        Phase::new("cancelled", &["withdrawal.cancelled"], &[]),
    ],
);

/// Paymos deposits to a payment channel; the stream is `data.id`.
///
/// `confirming` and `reorged` are advisory and may come after `confirmed`, which they never undo.
///
/// Source: `src/types.ts` and the README of <https://github.com/Paymos-labs/typescript-sdk>.
pub static PAYMOS_DEPOSIT: Transitions = Transitions::new(
    "paymos-deposit",
    &[
        Phase::new(
            "confirming",
            &["payment_channel.deposit.confirming"],
            &["confirmed", "reorged"],
        ),
        Phase::new("reorged", &["payment_channel.deposit.reorged"], &["confirmed", "confirming"]),
        Phase::new("confirmed", &["payment_channel.deposit.confirmed"], &[]),
    ],
);

/// Calendly invitees; the stream is `payload.uri`.
///
/// A cancelled invitee never becomes active again: a new date is a cancellation and another invitee, linked by
/// `old_invitee` and `new_invitee`.
///
/// Source: <https://developer.calendly.com/docs/api-guides/trigger-automations-with-other-apps-when-invitees-schedule-or-cancel-events>.
pub static CALENDLY_INVITEE: Transitions = Transitions::new(
    "calendly-invitee",
    &[
        Phase::new("active", &["invitee.created"], &["cancelled"]),
        Phase::new("cancelled", &["invitee.canceled"], &[]),
    ],
);

/// Cal.com bookings; the stream is the booking's `uid`, for a booking with seats that and the seat.
///
/// A booking that needs a confirmation is requested first. A cancelled or rejected one never comes back: a new date is
/// told under the `uid` of the booking that replaces the old one. Other triggers (payments, meetings, no-shows) say
/// nothing of these phases.
///
/// Source: <https://cal.com/docs/developing/guides/automation/webhooks>, `BookingStatus` in
/// <https://github.com/calcom/cal.com>.
pub static CALCOM_BOOKING: Transitions = Transitions::new(
    "calcom-booking",
    &[
        Phase::new("requested", &["BOOKING_REQUESTED"], &["accepted", "cancelled", "rejected"]),
        Phase::new(
            "accepted",
            &["BOOKING_CREATED", "BOOKING_RESCHEDULED"],
            &["cancelled", "rejected"],
        ),
        Phase::new("cancelled", &["BOOKING_CANCELLED"], &[]),
        Phase::new("rejected", &["BOOKING_REJECTED"], &[]),
    ],
);

/// Every table of this crate.
pub static TABLES: [&Transitions; 5] =
    [&CALCOM_BOOKING, &CALENDLY_INVITEE, &PAYMOS_DEPOSIT, &PAYMOS_INVOICE, &PAYMOS_WITHDRAWAL];
