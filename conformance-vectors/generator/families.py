"""Which families a sender gets: by its grammar, its time and its specials."""

from events_bookings import acuity_events, calcom_events
from events_calendly import calendly_events
from events_headers import anyhook_events, github_events, standard_events
from events_hubspot import hubspot_events
from events_paymos import paymos_events
from events_shopify import shopify_events
from events_stripe import stripe_events
from families_body import body_family
from families_encoding import encoding_family
from families_header import header_family
from families_list import t_list_family
from families_list_limits import t_list_limits_family
from families_secret import secret_family
from families_single import prefix_family, whole_family
from families_standard import standard_family
from families_standard_names import standard_names_family
from families_time import time_family
from specials_github import github_family
from specials_hubspot import hubspot_family
from specials_hubspot_escapes import hubspot_escape_family
from specials_hubspot_url import hubspot_url_family
from specials_other import calcom_family, paymos_family
from specials_shopify import shopify_family

_BY_GRAMMAR = {
    "t-list": [t_list_family, t_list_limits_family],
    "prefix": [prefix_family],
    "whole": [whole_family],
    "standard": [standard_family, standard_names_family],
}
_SPECIALS = {
    "github": [github_family],
    "shopify": [shopify_family],
    "hubspot": [hubspot_family, hubspot_url_family, hubspot_escape_family],
    "paymos": [paymos_family],
    "calcom": [calcom_family],
}
_EVENTS = {
    "stripe": stripe_events,
    "calendly": calendly_events,
    "github": github_events,
    "shopify": shopify_events,
    "hubspot": hubspot_events,
    "paymos": paymos_events,
    "anyhook": anyhook_events,
    "standard-webhooks": standard_events,
    "calcom": calcom_events,
    "acuity": acuity_events,
}


def families_of(sender):
    return (
        [header_family, encoding_family, body_family, secret_family, time_family]
        + _BY_GRAMMAR[sender.grammar]
        + _SPECIALS.get(sender.specials, [])
        + ([_EVENTS[sender.id]] if sender.id in _EVENTS else [])
    )
