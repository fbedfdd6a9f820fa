"""Tests how strongly a training changes the speech at each stage of its progress."""

import pytest

from train.loop import Clock, Plan


@pytest.mark.parametrize(
    ("step", "strength"),
    [(0, 0.0), (60, 0.0), (155, 0.4), (250, 0.8), (700, 0.8), (850, 0.52), (1000, 0.24)],
)
def test_changes_grow_after_the_start_and_become_weaker_before_the_end(step, strength):
    plan = Plan(steps=1000, strength=0.8, short_share=0.12, change_share=0.25, calm_share=0.3, calm_strength=0.3)
    clock = Clock(plan)
    clock.step = step
    assert clock.strength() == pytest.approx(strength)
