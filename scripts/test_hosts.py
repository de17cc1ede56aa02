"""The list of hosts is read strictly: a typing error must not drop a DuckDB version from the tests."""

import pytest
from hosts import HostError, default_host, load_hosts, parse_hosts, select_hosts

SAMPLE = "[2.0.1]\nrole = default\n[1.5.5]\nrole = supported\npackages = a==1\n  b==2\n[1.2.2]\nrole = refusing\n"


def test_hosts_in_order_with_their_packages():
    hosts = parse_hosts(SAMPLE)
    assert [host.version for host in hosts] == ["2.0.1", "1.5.5", "1.2.2"]
    assert [host.is_supported for host in hosts] == [True, True, False]
    assert hosts[1].requirements == ["duckdb==1.5.5", "a==1", "b==2"]
    assert default_host(hosts).version == "2.0.1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1.0]\nrole = supported\n", "exactly one host"),
        ("[1.0]\nrole = default\n[1.1]\nrole = default\n", "exactly one host"),
        ("[1.0]\nrole = suported\n", "role is 'suported'"),
        ("[1.0]\nrole = default\npackage = x\n", "unknown key package"),
    ],
)
def test_mistakes_in_the_list(text, message):
    with pytest.raises(HostError, match=message):
        parse_hosts(text)


def test_selection():
    hosts = parse_hosts(SAMPLE)
    assert select_hosts(hosts, "") == hosts
    assert [host.version for host in select_hosts(hosts, "1.2.2, 2.0.1")] == ["2.0.1", "1.2.2"]
    with pytest.raises(HostError, match="known hosts are 2.0.1"):
        select_hosts(hosts, "2.0")


def test_the_real_list():
    hosts = load_hosts()
    assert any(host.role == "refusing" for host in hosts)
    assert any("ducklake" in package for host in hosts for package in host.packages)
