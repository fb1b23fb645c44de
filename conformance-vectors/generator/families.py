"""Which families a sender gets: by its grammar, its time and its specials."""

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


def families_of(sender):
    return (
        [header_family, encoding_family, body_family, secret_family, time_family]
        + _BY_GRAMMAR[sender.grammar]
        + _SPECIALS.get(sender.specials, [])
    )
