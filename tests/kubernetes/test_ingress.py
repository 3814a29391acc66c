"""The Ingress of the guide leads its prefix to the Service, and the page gives the server the same address."""

from pathlib import Path

from manifests import ROOT, named

from mockserver import Settings

INGRESS = named("kubernetes-ingress.yaml", "Ingress", "mockserver")["spec"]
_PAGE = (Path(ROOT) / "docs" / "guides" / "kubernetes.md").read_text(encoding="utf-8")


def test_ingress_leads_its_prefix_to_the_port_of_the_service():
    ((rule,), (secured,)) = INGRESS["rules"], INGRESS["tls"]
    (path,) = rule["http"]["paths"]
    (port,) = named("kubernetes.yaml", "Service", "mockserver")["spec"]["ports"]

    assert path["backend"]["service"] == {"name": "mockserver", "port": {"name": port["name"]}}
    assert secured["hosts"] == [rule["host"]]
    url = f"https://{rule['host']}{path['path']}"
    assert f"MOCKSERVER_PUBLIC_URL={url}`" in _PAGE
    assert Settings(public_url=url).public_root == url
