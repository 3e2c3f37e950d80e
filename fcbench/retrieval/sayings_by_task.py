"""More of the table of `sayings`: for each thing that a genome program can do, other ways of asking for it.

Made by going through what such programs do, one thing after the other, and asking how a biologist would say it.
"""

from __future__ import annotations

ASKED = """\
melts apart, denature, denatures, strong pairing, base pairing strength, at rich, low gc, high gc > gc content range
rare codons, codon optimal, optimised, optimized, fits the host, expresses well, heterologous > adaptation codons \
gene score
favours, favourite codon, which codon, third position, wobble, stop codons used, codon table > codon usage counts
cas enzyme, knock in, gene editing, target sites, ngg > crispr guide pam protospacer
small orf, small proteins, smorf, microprotein, start to stop stretches, six frames, all frames > open reading frames \
orf
second opinion on the annotation, without looking at the annotation, blind to the annotation, ignore the annotation, \
bacterial gene finder > predict genes finder
directon, gene cluster, one behind the other, cluster, arrayed > operons neighbouring genes strand
kilodalton, how many daltons, average mass, monoisotopic, molecular mass > molecular weight letters
shannon, repetitiveness, how random, information > entropy bits words
draw in, put on the map, enter in the record, add an entry, deposit as feature, new entry, new feature, should appear \
in the record, annotate > create annotation feature adds
as one step, in a single step, list of features, all or nothing, several new entries > annotations batch adds features
take the entry, entry has to go, entry goes, bogus, ghost entry, spurious, false entry, duplicate entry, wrongly \
annotated > delete annotation feature takes
start is off, boundaries, boundary, wrong end, wrong start, too short, too long, starts at, actually ends, new start, \
new end, shift the start, wrong strand > update feature place start end strand
renamed, names for, product names, several names, in the same go > update annotations bulk names features
who touched, touched, versions, previous, originally, what was it before, changes made to > history feature old new
ids of, which id, id of, find the id, need its id, what number has > list annotations ids features
my notes, i wrote, i annotated, we annotated, my annotations, own annotations, of mine > search annotations session \
made changed
synthesise, order this primer, good primer, usable, is this primer ok, primer quality, behave, self anneal, foldback \
> analyze primer checks melting hairpin
pcr the, want to amplify, clone the gene, flanks, to amplify, primers for > design primers gene pairs
sits, bind, landing sites of the primer, how many places does the primer, hybridise, hybridize, complementary to, \
anneals to, sticks, stick anywhere > primer binding sites place
size of the amplicon, expected product, expected size, get with these primers, with this pair, both primers, primer \
couple > pcr products pair primers
cutters in, site for, sites for, recognise, recognises, single site, unique site, linearise, linearize, opens the \
plasmid > restriction sites enzyme cuts
not cut it, intact, in one piece, leave alone, leaves alone, survive, unharmed, keep whole, no enzyme > noncutting \
enzymes nowhere
chewed up, broken into, restriction pattern, southern, cut up, sizes of the pieces, lengths of the pieces > digest \
fragments
electropherogram, on a gel, gel picture, resolve, separated, apart on a gel, distance travelled, kb ladder > gel \
fragments ladder bands
save the oligo, note the oligo, file the oligo, add to the primers, primer under the name, among our primers > save \
primer keeps project
primers we have, kept primers, oligos on file, primers on file > list primers keeps
catalogue of enzymes, which enzymes give, enzymes giving, compatible ends, five prime overhang, four base > \
restriction enzymes overhang site catalogue
excised, remove bases, remove the range, loses, lose the bases, chop out, kick out, cut away, shorter by, gone from \
the genome, out of the genome, deleted > delete removal range bases queue
goes between, between bases, in between, add bases, add the bases, tag, his tag, flag tag, linker, loxp, primer site, \
insert > insert insertion bases queue position
instead of, in place of, overwrite, codon becomes, becomes a, turn the codon, recoded, alanine scan, site directed, \
changed into, change the base > replace replacement bases range queue
ref and alt, alternative allele, vcf line, as in the vcf, like in the vcf, called variant into > queue variant allele
apply what, changes applied, make the changes, make the edit, do the edit, real edit, edit it now, carried out, \
written into the genome, in the genome itself, actual genome, want it done, have it done, without waiting > execute \
applies pending edit queue
undo the, reversed, put everything back, how it was, previous state, restore the genome, last batch, last edit back, \
last round > undo last executed batch
drop one edit, take out the edit, that edit, this edit, edit out, edit is wrong, not that edit > remove pending edit \
queue id
edits pending, still pending, pending edits, what is waiting, what waits, waiting to be, any edits, edits done > list \
edits queue state
empty the queue, clear the queue, drop all edits, all pending > clear pending edit queue
on my clipboard, in the clipboard, what is on the clipboard, clipboard hold, clipboard contain > get clipboard holds
take a copy, copy of the range, bases to the clipboard > copy clipboard range
cut to the clipboard, lift out, out and onto the clipboard, take out and keep > cut clipboard removal
from the clipboard, put in what i copied, what i copied, copied stretch > paste clipboard
as a table for excel, results of the search, hits saved, hits as, hits in a file > export similarity hits file
every gene's dna, coding dna of all, nucleotide sequences of the genes, cds of > coding cds fasta genes file
translated sequences, protein sequences of, all translations > protein fasta amino genes file
a file with the bases, subsequence, slice, that stretch as a file, this range as a file > region fasta bases range file
what the tab shows, what i see as, visible stretch, visible bases, bases in view > view fasta front tab
whole sequence, entire sequence, complete sequence, sequence alone, sequence only, no features > genome fasta \
sequence file
with annotation, complete with annotation, annotated, and all its features, current state of the genome > genbank \
file features
walk to, show the region around, look at position, place me at, have base, into the middle, in the middle, central > \
centres view base navigate
without changing the zoom, same zoom, keep the zoom, move to the gene, find on the map, over to the gene > centres \
gene keeps zoom view
whole gene on screen, gene fill, as large as possible, from end to end on screen, see the whole gene, gene on the \
whole > zoom gene fills margin
step sideways, one screen, a screen, half a window, half the window, to the next window, percent to the > moves view \
sideways direction
more detail, finer, fewer bases, tenfold closer, times closer, base level, blow up > zoom narrows fewer
less detail, more bases, whole region, times wider, twice as wide, shrink, pull back > zoom widens more
mark in colour, colour in, colour the range, coloured, mark the range, mark it, make it stand out, stand out, show in \
red, spotlight, flag > highlight coloured mark range
remove the mark, mark off, that mark, mark away, colour off, uncolour > remove coloured mark
all colours, colours off, remove every mark, no more marks, all highlights > clear every coloured marks
which marks, marks are there, what have i marked, what did i mark, marks so far > list coloured marks
bookmarks, saved places, what did i bookmark, list of places > list bookmarks
place marker, come back to this, find it back, find this again, keep the place, keep this place, dog ear > bookmark \
keeps range
set the selection, selected range, active range, as selection, put the selection > select selection range
selection be, gene be selected, selection on the gene > select gene
which is selected, what is selected, is anything selected, currently selected > get selection selected
current position, where are we, what is shown, what range is shown, what do we see, in sight > view reports range state
keep this view, keep the view, store the view, store this view, remember this view, view for later > stores view name
view back, stored picture, go back to the view, old view, view called, view again > restore stored view
contact residues, close to each other, binding surface, interfacial, residues that touch, neighbour chain, dimer \
interface, contacts with the dna > contacts chain interface residues
sequence motif, amino acid pattern, pattern in the protein, residue pattern, heptad, cxxc > motif pattern residues
families of, family membership, domain entries, recorded domains, domain list, signature databases > domain family \
annotation uniprot collection
protein number, accession number, genbank accession, protein entry of the record > protein accession record
structure of, title of the structure, who solved, solved at, ligands of, chains of, pdb entry > structure resolution \
ligands chain pdb
entry of, swiss prot entry, keywords of, what does uniprot > uniprot entry function keywords
aliphatic, aromatic, theoretical, predicted mass, protparam, basic protein, number of residues > protein properties \
isoelectric weight
hmm scan, profile scan, scan against, domains in, contain a domain, has a domain, domain search > domains profile scan
structures of, structures with, structure by name, pdb search, is there a structure, any structure, structures are \
there > search structures pdb
proteins named, swiss prot search, entries about, entries for > search uniprot entries
between which genes, spaces between genes, empty, nobody home, uncovered, unoccupied, untranslated gaps, gaps between \
> intergenic stretches gene
at that base, hits base, which gene is at, what is at, lies at, position is in, which feature is at, inside a gene > \
features cover base position
in this range, within the range, which genes are in, genes between, overlapping, falls between, lie between, in that \
window, on this stretch > features overlap range region
tell me about the gene, gene card, gene record, everything on, synonyms of, database references, length of the gene > \
gene record details
next door, next gene, closest gene, what is near, around the base, on either side, how near, bases away > nearby \
distance nearest features
list the genes, page of genes, first genes, gene table, genes on the strand, genes in order > lists genes order strand
where does the sequence occur, occurrence of, find the sequence, find this sequence, exact match, look for the \
letters, string of letters, hexamer, octamer > pattern occurs place dna
products that mention, annotated with, notes that, has to do with, described as, word in the product, genes for > \
features product note phrase
which locus, locus of, location of the gene, does a gene called, is there a gene, gene named, where is the gene, \
where on the map > gene name symbol place strand finds
gene sequence, dna of the gene, sequence of the gene, orf of, coding strand > coding sequence gene codon
sequences of several, both genes' sequences, cds of these, in one answer > several genes coding multiple
protein of the gene, what protein, protein sequence, translation of the gene > protein amino acids gene
bases from, letters from, read the range, the sequence from, sequence between, give the bases > get bases range
before the gene, leader sequence, regulatory region, operator region, promoter region, 5 prime > upstream start codon \
gene
revcomp, other way, its complement, opposite direction > reverse complement letters
into protein, as protein, code for, codes for, into amino acids, translates to > translate reading frame letters
compare the genes, two genes, compare both genes, paralogues, gene pair, sequence identity > aligns genes identity
compare these, these two sequences, two sequences, two peptides, line these up, sequences match > align sequences \
letters identity
make a set, searchable collection, set of proteins, own database, from my genome > build search database
same gene in, in both strains, in both genomes, gene of the other, ortholog in > genes comparison genome compare
drop the database, database can go, database away > delete search database
dna or protein, protein or dna, is this dna, is this protein, what are these letters > sequence type detect letters
tighten, above identity, fewer hits, hits above, hits with, discard the hits, remaining hits > filter hits identity \
limit
which databases, databases do i have, sets do i have, search sets > list search databases
dna query, similar dna, nucleotide search, related dna > nucleotide similarity search database
protein query, related proteins, relatives of the protein, similar sequences, homologues of, homologs of > protein \
similarity search database
tab away, done with the tab, tab can go, close the > close tab
properties of a track, what can i set, settings exist, adjustable > describe settings values exist
how is the track, present settings, how is it drawn, height of the > get track settings
tracks are shown, tracks are hidden, visible tracks, which tracks > track status shown hidden
which tab, tabs do i have, tabs are open, my tabs > list tabs
one more tab, additional tab, extra tab, own tab, separate tab > open tab
out of my sight, no longer show, do not show, bring the track, show the track > visibility shows hides track
other tab, tab in front, go to the tab, tab to the front > switch tab front
make the track, draw the track, track higher, track in > update track settings
confident calls, high quality, trustworthy, quality of at least, depth of at least, supported by, only indels, only \
snps, only missense > filter variants quality depth kind
allele count, pile of reads, what letter, which letter, base calls at, agree on the letter > base counts reads
how many reads, reads cover, read support, sequencing depth, evenly covered > coverage depth reads range
mutations in, variants in, variants between, list of variants, every call, all calls > list variants range gene
protein level effect, change in the protein, amino acid exchange, codon is hit, if i change, if we change, changes \
the amino > predict effect variant
tally of variants, how many variants, how many calls, how many mutations, per effect > summarize counts variants
to my list, on the list, put down, jot, jot down, note for me, so i do not forget > task checklist adds item
list of tasks, tasks are, tasks left, what have i planned > list checklist items
mark as done, is done, set to done, half done, percent through, in hand > update task progress state
remove the task, task away, task is off, forget the task, off my list > delete task item checklist
clear the list, wipe the list, fresh list, start a new list > clear checklist item every
what genome, about this genome, overview of the genome, what is this, which species, which organism > genome summary \
organism
what data, which data, data are loaded, what is loaded, is loaded, files are loaded, attached > files loaded lists
replicon, list of sequences, names of the sequences, accessions > sequences lists accession
features of the file, add the features, annotation from > annotation file adds features
beside the open, keep the open one, open one stays, second genome, another genome beside, to compare with > \
comparison genome second
open the file, open the genome, load the genome, work on the genome, different genome > genome opens file
operons from, curated operons, known operons, published operons > operon table load
alignments, mapped, alignment of reads > reads bam
numeric data, continuous, signal files, wiggle files > signal tracks
called variants, variant calls, calls from, snps from > variants vcf loads
exports go, files go, goes to the folder, write into the folder, save to the folder > folder working directory output
cycles, thermocycler, one thing, one product, single product, a mess, primer dimers > pcr products pair primers
come apart, comes apart, tell apart on, percent gel, at one percent, at two percent, pour > gel fragments agarose
make it flesh, make it reality, turn it into reality, no longer on paper, finished on paper, \
bring it about, see it through > execute applies pending edit
forget, hate to forget, neighbourhood called > bookmark keeps range
working range, what did we mark as > selection selected
"""
"""What one asks for."""

__all__ = ["ASKED"]
