# SPDX-License-Identifier: BSD-2-Clause
# The table compilers and their outputs from the targets' tables. The PMUs' folders request the
# outputs.

$(BUILD)/evtab $(BUILD)/metrictab $(BUILD)/profiletab: $(BUILD)/%: tools/%.c tools/table.c tools/table.h \
		$(patsubst %,pmu/include/%.h,event model field metric profile pmu) | setup $(BUILD)/
	$(call say,CC $<)$(Q)$(CC) -std=gnu17 -O2 $(WARNINGS) -Ipmu/include -o $@ $< tools/table.c

# Makes palmon.img of an x86 image.
$(BUILD)/peimage: tools/peimage.c | setup $(BUILD)/
	$(call say,CC $<)$(Q)$(CC) -std=gnu17 -O2 $(WARNINGS) -o $@ $<

# The objects compiled from these targets' tables; profiles.tab is optional.
tables = $(foreach t,$(1),events-$(t) metrics-$(t) $(if $(wildcard pmu/$(t)/profiles.tab),profiles-$(t)))

# The tables of events' requirements on the models of these targets.
model_tables = $(foreach t,$(1),$(if $(findstring pmu_codes_,$(file <pmu/$(t)/state.h)),codes-$(t)))

# A target's name as a C identifier.
identifier = $(subst -,_,$(1))

# The lists of drivers, models and self tests are made in the same folder.
define TABLE_RULES
$(1)/events-%.c: pmu/%/events.tab $(BUILD)/evtab | $(1)/
	$(Q)$(BUILD)/evtab $$(call identifier,$$*) $$< >$$@
$(1)/codes-%.c: pmu/%/events.tab $(BUILD)/evtab | $(1)/
	$(Q)$(BUILD)/evtab -c $$(call identifier,$$*) $$< >$$@
$(1)/metrics-%.c: pmu/%/metrics.tab $(BUILD)/metrictab | $(1)/
	$(Q)$(BUILD)/metrictab $$(call identifier,$$*) $$< >$$@
$(1)/profiles-%.c: pmu/%/profiles.tab $(BUILD)/profiletab | $(1)/
	$(Q)$(BUILD)/profiletab $$(call identifier,$$*) $$< >$$@
$(1)/registry.c: pmu/targets.tab tools/registry | $(1)/
	$(Q)tools/registry $$(REGISTRY) >$$@
$(1)/drivers.c: pmu/targets.tab tools/registry | $(1)/
	$(Q)tools/registry -r $$(TARGETS) >$$@
$(1)/defects.c: pmu/targets.tab tools/registry $(wildcard pmu/*/defects.c) | $(1)/
	$(Q)tools/registry -d $$(TARGETS) >$$@
$(1)/programs.c: pmu/targets.tab tools/registry | $(1)/
	$(Q)tools/registry -p $$(TARGETS) >$$@
$(1)/programs.o: COMPILER += -I.
endef
MADE_IN := $(IMAGES) $(HOST) $(CHECK) $(FUZZ) $(PLUGIN) $(LIBVPMU)
$(foreach d,$(MADE_IN),$(eval $(call TABLE_RULES,$(d))))
.SECONDARY: $(foreach d,$(MADE_IN),$(patsubst %,$(d)/%.c,$(call tables,$(TARGETS)) $(call model_tables,$(TARGETS))))
$(IMAGES)/registry.c: REGISTRY = $(TARGET) $(PARTS)
$(foreach d,$(HOST) $(CHECK) $(FUZZ),$(d)/registry.c): REGISTRY = -m $(TARGETS)
$(PLUGIN)/registry.c: REGISTRY = -l $(TARGETS)
